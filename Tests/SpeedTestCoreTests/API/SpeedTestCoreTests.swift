import Coordination
import Lab
import SpeedTestCore
import Testing

@Suite(.timeLimit(.minutes(3)))
struct SpeedTestCoreTests {
    /// A line of its own, without any network: so many bytes a second in all, and a round trip.
    struct FakeLine: SpeedTestNetworking {
        /// Of four streams, as many as a line of less than 8 Mbit/s gets.
        var bytesPerSecond = 0.9e6
        var latency = Duration.milliseconds(7)
        var status = 200
        var error: NetworkError?
        let log = TransferLog()

        func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
            if let error { throw error }
            return SpeedTestResponse(status: status, body: Array(#"{"status":"pong"}"#.utf8), latency: latency)
        }

        func download(
            _ request: SpeedTestRequest,
            received: @escaping @Sendable (Int) -> Void
        ) async throws -> SpeedTestResponse {
            try await move(.download, upTo: .max, received)
        }

        func upload(
            _ request: SpeedTestRequest,
            byteCount: Int,
            sent: @escaping @Sendable (Int) -> Void
        ) async throws -> SpeedTestResponse {
            try await move(.upload, upTo: byteCount, sent)
        }

        /// Each stream has its share, by the clock: however late a step is, its bytes are those of the time passed.
        private func move(
            _ direction: Direction,
            upTo limit: Int,
            _ moved: @Sendable (Int) -> Void
        ) async throws -> SpeedTestResponse {
            let start = ContinuousClock.now
            var total = 0.0
            while Int(total) < limit {
                // The pace of the load.
                try await Task.sleep(for: .milliseconds(10))
                let due = (start.duration(to: .now) / .seconds(1)) * bytesPerSecond / 4
                let count = min(Int(due - total), limit - Int(total))
                moved(count)
                log.add(count, direction)
                total += Double(count)
            }
            return SpeedTestResponse(status: status)
        }
    }

    @Test(arguments: NetworkError.allCases)
    func `an error of the networking is the test's`(error: NetworkError) async {
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine(error: error))
        // What may pass by itself is tried again.
        await #expect(throws: error) { _ = try await SpeedTestCore.runPingTest(config: config) }
        #expect(!error.description.isEmpty)
    }

    @Test func `a refusal is an invalid response, an invalid URL unreachable`() async {
        let refused = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine(status: 500))
        await #expect(throws: NetworkError.invalidResponse) { _ = try await SpeedTestCore.runFullTest(config: refused) }
        let nowhere = SpeedTestConfig(serverURL: "nowhere")
        await #expect(throws: NetworkError.serverUnreachable) {
            _ = try await SpeedTestCore.runPingTest(config: nowhere)
        }
    }

    @Test func `the phases come in order, and the result last`() async throws {
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine())
        var phases: [SpeedTestEvent.Phase] = []
        var fractions: [SpeedTestEvent.Phase: Double] = [:]
        var last: SpeedTestEvent?
        for try await event in SpeedTestCore.events(config: config) {
            if case .progress(let phase, let fraction, _) = event {
                #expect((0...1).contains(fraction))
                if phases.last != phase { phases.append(phase) }
                fractions[phase] = fraction
            }
            last = event
        }
        #expect(phases == [.connecting, .latency, .download, .upload])
        #expect(fractions == [.connecting: 0, .latency: 1, .download: 1, .upload: 1], "each ends full")
        guard case .finished(let result) = last else { throw NetworkError.notEnoughData }
        #expect(result.download != nil && result.upload != nil)
    }

    @Test func `cancelling the reader ends the test`() async throws {
        let ends = AsyncStream<Void>.makeStream()
        struct Endless: AnsweringNetworking {
            let ended: @Sendable () -> Void
            func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
                defer { ended() }
                await endOfTask()
                throw CancellationError()
            }
        }
        let endless = Endless { ends.continuation.yield() }
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: endless)
        let (begins, begun) = AsyncStream<Void>.makeStream()
        let reader = Task {
            for try await _ in SpeedTestCore.events(config: config) { begun.yield() }
        }
        for await _ in begins { break }
        reader.cancel()
        for await _ in ends.stream { break }
    }

    @Test func `the default networking performs requests by itself too`() async throws {
        let server = try SpeedlabServer()
        defer { server.close() }
        let networking = TransferNetworking()
        let pong = try await networking.get(SpeedTestRequest(url: "\(server.url)/ping"))
        #expect(pong.status == 200 && pong.latency > .zero && pong.body.count == 17)
        let counted = Locked(0)
        let count: @Sendable (Int) -> Void = { bytes in counted.withLock { $0 += bytes } }
        let download = SpeedTestRequest(url: "\(server.url)/download?size=300000")
        #expect(try await networking.download(download, received: count).status == 200)
        #expect(counted.withLock { $0 } == 300_000)
        let upload = SpeedTestRequest(url: "\(server.url)/upload")
        #expect(try await networking.upload(upload, byteCount: 200_000, sent: count).status == 200)
        #expect(counted.withLock { $0 } == 500_000 && server.received == 200_000)
        let port = try Loopback.closedPort()
        await #expect(throws: NetworkError.serverUnreachable) {
            _ = try await networking.get(SpeedTestRequest(url: "http://127.0.0.1:\(port)/"))
        }
    }
}
