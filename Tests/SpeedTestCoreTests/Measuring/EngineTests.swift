import Coordination
import Glibc
import Lab
import SpeedTestCore
import Statistics
import Testing

@Suite(.timeLimit(.minutes(3)), .serialized)
struct EngineTests {
    private static let rate = 4_000_000.0

    @Test func `without counters an upload is what the kernel saw acknowledged`() async throws {
        let server = try SpeedlabServer(rate: Self.rate, hasCounters: false)
        defer { server.close() }
        let report = await runTest(server.url) { $0.directions = [.upload] }
        let upload = try #require(report.upload)
        #expect(upload.accounting == .acknowledged && upload.rate.bytesPerSecond > 1e6)
        #expect(report.download == nil && report.failure == nil)
    }

    @Test func `uploads shrink as far as the server requires`() async throws {
        let server = try SpeedlabServer(rate: Self.rate, largestUpload: 300_000)
        defer { server.close() }
        let report = await runTest(server.url) { $0.directions = [.upload] }
        // Four sizes are refused before this one.
        #expect(report.upload != nil && report.failure == nil, "\(report)")
    }

    @Test func `an upload that is cancelled at the end of its window leaves no bytes in flight`() async throws {
        let server = try SpeedlabServer(rate: 1_000_000)
        defer { server.close() }
        let account = TrafficAccount()
        let report = await runTest(server.url, account: account) { $0.directions = [.upload] }
        #expect(report.upload != nil)
        #expect(server.received <= report.traffic.transmitted)
        #expect(report.traffic == account.bytes)
    }

    @Test func `a test against an address of this host is marked, and its caller learns of it`() async throws {
        let server = try SpeedlabServer(rate: Self.rate)
        defer { server.close() }
        let scope = SpeedTestScope()
        let report = await SpeedTestScope.$current.withValue(scope) {
            await runTest(server.url) { $0.directions = [] }
        }
        #expect(report.isLocal && scope.hasLocalTest && report.failure == nil)
    }

    @Test func `a missing server is unreachable, a silent one a time-out`() async throws {
        let port = try Loopback.closedPort()
        let missing = await runTest("http://127.0.0.1:\(port)")
        #expect(missing.failure?.reason == .unreachable && missing.isLocal)
        #expect(await runTest("ftp://127.0.0.1:\(port)").failure?.reason == .unreachable)
        let silent = try RawServer { $0.readAll() }
        defer { silent.close() }
        #expect(
            await runTest("http://127.0.0.1:\(silent.port)") { $0.testWall = .seconds(2) }.failure?.reason == .timeout
        )
    }
}
