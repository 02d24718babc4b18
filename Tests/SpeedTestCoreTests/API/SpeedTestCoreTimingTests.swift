import Lab
import SpeedTestCore
import Testing

/// The library's functions, which measure for as long as they do for everybody.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct SpeedTestCoreTimingTests {
    private let stolen = StolenTime()

    /// Compares a result with a log of the same run, of which it is one span.
    private func expect(
        _ result: TransferResult,
        _ direction: Direction,
        asIn log: TransferLog,
        within tolerance: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let logged = try #require(log.rates(direction, over: .seconds(result.duration)), "\(stolen)")
        #expect(
            logged.widened(by: tolerance).contains(result.speedMbps * 1e6 / 8),
            "\(result), logged was \(logged); \(stolen)",
            sourceLocation: sourceLocation
        )
    }

    @Test func `a custom networking is measured by the same engine`() async throws {
        let line = SpeedTestCoreTests.FakeLine()
        let config = SpeedTestConfig(serverURL: "http://fake.invalid", networking: line)
        let result = try await SpeedTestCore.runFullTest(config: config)
        #expect(try #require(result.ping) == PingResult(latency: 0.007, jitter: 0))
        // 0.7 of 7.2 Mbit/s.
        try expect(try #require(result.download), .download, asIn: line.log, within: 0.097)
        let upload = try #require(result.upload)
        try expect(upload, .upload, asIn: line.log, within: 0.097)
        #expect(abs(Double(upload.bytesTransferred) * 8 / upload.duration / 1e6 - upload.speedMbps) < 0.01)
    }

    @Test func `each test measures its own part, over real sockets`() async throws {
        let server = try SpeedlabServer(rate: 4e6)
        defer { server.close() }
        let config = SpeedTestConfig(serverURL: server.url)
        #expect(try await SpeedTestCore.runPingTest(config: config).latency < 0.1, "\(stolen)")
        // A download of nothing asks which server it is.
        let loads = server.requests.filter { !$0.contains("/download?size=0") }
        #expect(!loads.contains { $0.contains("/download") || $0.contains("/upload") })
        // 3 of 32 Mbit/s.
        let download = try await SpeedTestCore.runDownloadTest(config: config)
        try expect(download, .download, asIn: server.log, within: 0.093)
        #expect(!server.requests.contains { $0.contains("/upload") })
        try expect(try await SpeedTestCore.runUploadTest(config: config), .upload, asIn: server.log, within: 0.093)
    }
}
