import SpeedTestCore
import Statistics
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized)
struct EngineTests {
    @Test func `a test measures both directions of a slow server and accounts for all of it`() async throws {
        // Four streams of 1 MB/s.
        let server = try SpeedlabServer(rate: 1_000_000)
        defer { server.close() }
        let account = TrafficAccount()
        let report = await runTest(server.url, account: account) { $0.window = .seconds(1) ... .seconds(3) }
        print(report)
        #expect(report.failure == nil)
        let download = try #require(report.download)
        let upload = try #require(report.upload)
        #expect(download.accounting == .receiver && upload.accounting == .receiver)
        #expect(download.congestionControl == "reno")
        #expect(upload.congestionControl?.isEmpty == false)
        #expect(download.loadedLatency != nil && download.responsiveness != nil)
        #expect(report.traffic == account.bytes)
        #expect(report.traffic.received > download.bytes && report.traffic.transmitted > upload.bytes)
        #expect(try #require(report.ping).latency < .milliseconds(50))
        #expect(report.host.hasPrefix("127.0.0.1:"))
    }
}
