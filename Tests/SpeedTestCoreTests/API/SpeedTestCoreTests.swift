import Lab
import Locking
import SpeedTestCore
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SpeedTestCoreTests {
    /// A line of its own, without any network: so many bytes a second in all, and a round trip.
    private struct FakeLine: SpeedTestNetworking {
        /// Of four streams, as many as a line of less than 8 Mbit/s gets.
        var bytesPerSecond = 0.9e6
        var latency = Duration.milliseconds(7)
        var status = 200
        var error: NetworkError?

        func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
            if let error { throw error }
            return SpeedTestResponse(status: status, body: Array(#"{"status":"pong"}"#.utf8), latency: latency)
        }

        func download(
            _ request: SpeedTestRequest,
            received: @escaping @Sendable (Int) -> Void
        ) async throws -> SpeedTestResponse {
            try await move(received)
        }

        func upload(
            _ request: SpeedTestRequest,
            byteCount: Int,
            sent: @escaping @Sendable (Int) -> Void
        ) async throws -> SpeedTestResponse {
            try await move(sent)
        }

        /// Each stream has its share, by the clock: however late a step is, its bytes are those of the time passed.
        private func move(_ moved: @Sendable (Int) -> Void) async throws -> SpeedTestResponse {
            let start = ContinuousClock.now
            var total = 0.0
            while true {
                try await Task.sleep(for: .milliseconds(10))
                let due = (start.duration(to: .now) / .seconds(1)) * bytesPerSecond / 4
                moved(Int(due - total))
                total += Double(Int(due - total))
            }
        }
    }

    @Test func `somebody's own networking is measured by the same engine`() async throws {
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine())
        let result = try await SpeedTestCore.runFullTest(config: config)
        #expect(try #require(result.ping) == PingResult(latency: 0.007, jitter: 0))
        #expect(abs(try #require(result.download).speedMbps - 7.2) < 0.7)
        let upload = try #require(result.upload)
        #expect(abs(upload.speedMbps - 7.2) < 0.7)
        #expect(abs(Double(upload.bytesTransferred) * 8 / upload.duration / 1e6 - upload.speedMbps) < 0.01)
    }

    @Test(arguments: NetworkError.allCases)
    func `an error of the networking is the test's`(error: NetworkError) async {
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine(error: error))
        // What may pass by itself is tried again.
        await #expect(throws: error) { _ = try await SpeedTestCore.runPingTest(config: config) }
        #expect(!error.description.isEmpty)
    }

    @Test func `a refusal is an invalid response, a URL that is none unreachable`() async {
        let refused = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine(status: 500))
        await #expect(throws: NetworkError.invalidResponse) { _ = try await SpeedTestCore.runFullTest(config: refused) }
        let nowhere = SpeedTestConfig(serverURL: "nowhere")
        await #expect(throws: NetworkError.serverUnreachable) {
            _ = try await SpeedTestCore.runPingTest(config: nowhere)
        }
    }

    @Test func `each test measures what its name says, over real sockets`() async throws {
        let server = try SpeedlabServer(rate: 4e6)
        defer { server.close() }
        let config = SpeedTestConfig(serverURL: server.url)
        #expect(try await SpeedTestCore.runPingTest(config: config).latency < 0.1)
        #expect(!server.requests.contains { $0.contains("/download") || $0.contains("/upload") })
        #expect(abs(try await SpeedTestCore.runDownloadTest(config: config).speedMbps - 32) < 3)
        #expect(!server.requests.contains { $0.contains("/upload") })
        #expect(abs(try await SpeedTestCore.runUploadTest(config: config).speedMbps - 32) < 3)
    }

    @Test func `the phases come in order, and the result last`() async throws {
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: FakeLine())
        var phases: [SpeedTestEvent.Phase] = []
        var last: SpeedTestEvent?
        for try await event in SpeedTestCore.events(config: config) {
            if case .progress(let phase, let fraction, _) = event {
                #expect((0...1).contains(fraction))
                if phases.last != phase { phases.append(phase) }
            }
            last = event
        }
        #expect(phases == [.connecting, .latency, .download, .upload])
        guard case .finished(let result) = last else { throw NetworkError.notEnoughData }
        #expect(result.download != nil && result.upload != nil)
    }

    @Test func `a reader that is cancelled ends the test`() async throws {
        let ends = AsyncStream<Void>.makeStream()
        struct Endless: SpeedTestNetworking {
            let ended: @Sendable () -> Void
            func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
                defer { ended() }
                try await Task.sleep(for: .seconds(600))
                return SpeedTestResponse(status: 200)
            }
            func download(
                _ request: SpeedTestRequest,
                received: @escaping @Sendable (Int) -> Void
            ) async throws -> SpeedTestResponse { SpeedTestResponse(status: 200) }
            func upload(
                _ request: SpeedTestRequest,
                byteCount: Int,
                sent: @escaping @Sendable (Int) -> Void
            ) async throws -> SpeedTestResponse { SpeedTestResponse(status: 200) }
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
