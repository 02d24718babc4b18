import HTTPTransfer
import Lab
import Statistics
import Testing

@testable import Probing

/// Probes beside as much traffic as this machine can carry.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SaturationLabTests {
    private static let server = """
        import socket
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        connection = listener.accept()[0]
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 1000000000000\\r\\n\\r\\n")
        while True:
            connection.sendall(bytes(1 << 20))
        """

    /// Pings one after the other, 100 in 2 s: the round trips, how long the slowest took with all that belongs to it, and how late this
    /// machine was at most for a task that only sleeps.
    private func ping(_ engine: ProbeEngine) async throws -> (median: Duration, slowest: Duration, lateness: Duration) {
        let target = Target(name: "a", address: "127.0.0.1", probe: ICMPProbe())
        var trips = Outcomes()
        var slowest = Duration.zero
        // During the probes, too.
        let sleeper = SleepingTask()
        for _ in 0..<100 {
            let start = ContinuousClock.now
            let result = await engine.probe(target, in: ProbeContext())
            slowest = max(slowest, start.duration(to: .now))
            trips.append(result.rtt)
            // The rate of the probes, not a wait for anything.
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(trips.lossRatio == 0)
        return (try #require(trips.median), slowest, sleeper.lateness)
    }

    @Test func `a saturating transfer on another loop moves no probe`() async throws {
        let server = try Program(["python3", "-c", Self.server])
        let port = try #require(server.readLine().flatMap { UInt16($0) })
        let engine = try ProbeEngine(userAgent: "lab")
        defer { engine.stop() }
        let quiet = try await ping(engine)
        let loop = try TransferLoop(name: "bulk", userAgent: "lab")
        let bulk = Task {
            var request = TransferRequest(url: "http://127.0.0.1:\(port)/")
            request.sink = .discard
            request.timeout = .seconds(30)
            return await Result { try await loop.perform(request) }
        }
        let loaded = try await ping(engine)
        loop.stop()
        let error = try #require(await bulk.value.failure as? TransferError)
        let rate = Double(error.statistics.bodyBytes) / error.statistics.duration.seconds
        #expect(rate > 100e6, "bytes/s beside the probes")
        let news = "quiet \(quiet), loaded \(loaded), \(Int(rate / 1e6)) MB/s"
        // The kernel times the round trips: a loop that is busy would make them as long as its turns.
        #expect(loaded.median < max(quiet.median, loaded.lateness), "\(news)")
        // Several threads are woken in turn for a probe, and one for the sleep.
        #expect(loaded.slowest < max(quiet.slowest, loaded.lateness) * 10, "\(news)")
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
