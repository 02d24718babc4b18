import ArgumentParser
import Coordination
import Lab
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct RemoteCheckTests {
    /// A clock that only pauses move: requests take no time.
    private final class Clock: Sendable {
        let start = ContinuousClock.now
        let pauses = Locked<[Duration]>([])

        var now: ContinuousClock.Instant { start + pauses.withLock { $0.reduce(.zero, +) } }
    }

    /// Answers every request at once, and counts them.
    private func answering(
        _ status: String,
        _ headers: String = "",
        wait: Duration,
        _ arguments: [String] = []
    ) async throws -> (outcome: Check.Outcome, requests: Int, pauses: [Duration], paths: [String]) {
        let paths = Locked<[String]>([])
        let server = try RawServer { connection in
            let path = connection.readHead().split(separator: " ").dropFirst().first
            paths.withLock { $0.append(path.map(String.init) ?? "") }
            connection.send("HTTP/1.1 \(status)\r\n\(headers)Content-Length: 5\r\n\r\nbusy\n")
        }
        defer { server.close() }
        let clock = Clock()
        var check = try RemoteCheck(try Check.parse(["online", "--url", server.url] + arguments), wait: wait)
        check.now = { clock.now }
        check.pause = { pause in clock.pauses.withLock { $0.append(pause) } }
        return (try await check.run(), server.accepted, clock.pauses.withLock { $0 }, paths.withLock { $0 })
    }

    @Test func `an immediate 503 is retried at growing intervals, until the time is over`() async throws {
        let found = try await answering("503 Service Unavailable", wait: .seconds(3600))
        #expect(found.outcome == .failed)
        #expect(Array(found.pauses.prefix(6)) == [1, 2, 4, 8, 16, 30].map { Duration.seconds($0) })
        #expect(found.pauses.dropFirst(5).dropLast().allSatisfy { $0 == .seconds(30) })
        #expect(found.pauses.reduce(.zero, +) == .seconds(3600))
        #expect(found.requests == found.pauses.count + 1 && found.requests < 130)
    }

    @Test func `it waits as long as Retry-After, up to its own time`() async throws {
        let found = try await answering("503 Busy", "retry-after: 45\r\n", wait: .seconds(100))
        #expect(found.pauses == [.seconds(45), .seconds(45), .seconds(10)])
        #expect(found.outcome == .failed && found.requests == 4)
    }

    @Test func `a wait of less than five minutes is not cut short by a 503 of another program`() async throws {
        let found = try await answering("503 Busy", wait: .seconds(5))
        #expect(found.pauses == [.seconds(1), .seconds(2), .seconds(2)] && found.outcome == .failed)
        let path = "/health?requirement=online&format=text"
        #expect(found.paths == ["\(path)&wait=5000ms", "\(path)&wait=4000ms", "\(path)&wait=2000ms", path])
    }

    @Test func `an uplink is asked for by any name that one can have`() async throws {
        let found = try await answering("200 OK", wait: .zero, ["--uplink", "eth0 fe80::1&ä"])
        #expect(found.paths == ["/health?requirement=online&format=text&uplink=eth0%20fe80%3A%3A1%26%C3%A4"])
    }

    @Test(arguments: [("200 OK", Check.Outcome.passed), ("400 Bad Request", .unknown), ("500 No", .unreachable)])
    func `any other answer is the last`(status: String, outcome: Check.Outcome) async throws {
        let found = try await answering(status, wait: .seconds(3600))
        #expect(found.outcome == outcome && found.requests == 1 && found.pauses.isEmpty)
    }

    @Test func `without a wait there is one query`() async throws {
        let found = try await answering("503 Busy", wait: .zero)
        #expect(found.outcome == .failed && found.requests == 1 && found.pauses.isEmpty)
    }

    @Test func `after an answer in time the next query follows at once, and the pauses start again`() {
        var pace = RetryPace()
        #expect(pace.pause(after: .zero, of: .seconds(300), retryAfter: nil) == .seconds(1))
        #expect(pace.pause(after: .seconds(299), of: .seconds(300), retryAfter: nil) == .seconds(2))
        #expect(pace.pause(after: .seconds(300), of: .seconds(300), retryAfter: .seconds(60)) == .zero)
        #expect(pace.pause(after: .zero, of: .seconds(300), retryAfter: .seconds(86_400)) == .seconds(300))
        #expect(pace.pause(after: .zero, of: .zero, retryAfter: nil) == .seconds(2))
    }
}
