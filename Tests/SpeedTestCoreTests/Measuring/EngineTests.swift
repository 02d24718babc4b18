import Glibc
import Lab
import Locking
import SpeedTestCore
import Statistics
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized)
struct EngineTests {
    private static let rate = 4_000_000.0

    @Test func `a test finds the rate of a slow server in both directions and accounts for all of it`() async throws {
        let server = try SpeedlabServer(rate: Self.rate)
        defer { server.close() }
        let account = TrafficAccount()
        let report = await runTest(server.url, account: account) { $0.window = .seconds(1) ... .seconds(3) }
        #expect(report.failure == nil)
        let download = try #require(report.download)
        let upload = try #require(report.upload)
        #expect(abs(download.bytesPerSecond / Self.rate - 1) < 0.05, "\(download)")
        #expect(abs(upload.bytesPerSecond / Self.rate - 1) < 0.05, "\(upload)")
        #expect(download.accounting == .receiver && upload.accounting == .receiver)
        #expect(download.congestionControl == "reno")
        #expect(upload.congestionControl?.isEmpty == false)
        #expect(download.loadedLatency != nil && download.responsiveness != nil)
        #expect(report.traffic == account.bytes)
        #expect(report.traffic.received > download.bytes && report.traffic.transmitted > upload.bytes)
        #expect(try #require(report.ping).latency < .milliseconds(50))
        #expect(report.host.hasPrefix("127.0.0.1:"))
    }

    @Test func `without counters an upload is what the kernel saw acknowledged`() async throws {
        let server = try SpeedlabServer(hasCounters: false)
        defer { server.close() }
        let report = await runTest(server.url) { $0.directions = [.upload] }
        let upload = try #require(report.upload)
        #expect(upload.accounting == .acknowledged && upload.bytesPerSecond > 1e6)
        #expect(report.download == nil && report.failure == nil)
    }

    @Test func `uploads become as small as the server wants them`() async throws {
        let server = try SpeedlabServer(rate: Self.rate, largestUpload: 2_000_000)
        defer { server.close() }
        let report = await runTest(server.url) { $0.directions = [.upload] }
        let upload = try #require(report.upload, "\(report)")
        #expect(!upload.limits.contains(.server) && upload.streams >= 4)
        // What the refused ones had sent does not count.
        #expect(abs(upload.bytesPerSecond / Self.rate - 1) < 0.1)
    }

    @Test func `the byte limit holds at the highest rate, and there is a value`() async throws {
        let server = try SpeedlabServer()
        defer { server.close() }
        let limit: UInt64 = 200_000_000
        let report = await runTest(server.url) { $0.byteLimit = [.download: limit, .upload: limit] }
        #expect(report.failure == nil)
        for direction in Direction.allCases {
            let found = try #require(report[direction])
            #expect(found.limits.contains(.dataCap), "\(found)")
            #expect(found.bytes > limit / 4)
        }
        #expect(Double(report.traffic.received) < Double(limit) * 1.05, "\(report.traffic)")
        #expect(Double(report.traffic.transmitted) < Double(limit) * 1.05, "\(report.traffic)")
        // What was asked for, not only what came.
        let asked = server.requests.filter { $0.hasPrefix("GET /download") }.compactMap { line in
            line.split(separator: " ")[1].split(separator: "=").last.flatMap { UInt64($0) }
        }
        #expect(asked.reduce(0, +) <= limit)
    }

    @Test func `an upload that is cancelled at the end of its window leaves nothing on its way`() async throws {
        let server = try SpeedlabServer(rate: 1_000_000)
        defer { server.close() }
        let account = TrafficAccount()
        let report = await runTest(server.url, account: account) { $0.directions = [.upload] }
        #expect(report.upload != nil)
        #expect(server.received <= report.traffic.transmitted)
        #expect(report.traffic == account.bytes)
    }

    @Test(arguments: [Direction.download, .upload])
    func `cancelling ends it at once, and the bytes until then are told`(direction: Direction) async throws {
        let server = try SpeedlabServer(rate: Self.rate)
        defer { server.close() }
        let account = TrafficAccount()
        let (loads, isLoading) = AsyncStream<Void>.makeStream()
        let test = Task {
            var options = SpeedTestOptions()
            options.idleSamples = 1
            options.directions = [direction]
            let target = SpeedTestServer(name: "test", dialect: .speedlab, url: server.url)
            return await SpeedTestEngine(server: target, options: options, userAgent: "tests/1", account: account)
                .run { if ($0.bytesPerSecond ?? 0) > 0 { isLoading.yield() } }
        }
        for await _ in loads { break }
        let start = ContinuousClock.now
        test.cancel()
        let report = await test.value
        #expect(start.duration(to: .now) < .seconds(1))
        #expect(report.failure?.reason == .cancelled)
        #expect(report[direction] == nil && report.ping != nil)
        #expect(report.traffic == account.bytes && report.traffic.total > 10_000)
    }

    @Test func `the wall of a direction holds whatever the server does`() async throws {
        let server = try RawServer.failing(.oneByteASecond)
        defer { server.close() }
        let start = ContinuousClock.now
        let report = await runTest("http://127.0.0.1:\(server.port)") { $0.directionWall = .seconds(1) }
        #expect(report.failure?.reason == .timeout)
        #expect(start.duration(to: .now) < .seconds(4))
    }

    @Test func `a wall that comes in the window ends it, and what was measured counts`() async throws {
        let server = try SpeedlabServer(rate: Self.rate)
        defer { server.close() }
        let report = await runTest(server.url) { options in
            options.directions = [.download]
            // Over two seconds a window counts, and it is asked to be longer than the wall lets it.
            options.window = .seconds(60) ... .seconds(60)
            options.directionWall = .seconds(8)
        }
        #expect(report.failure == nil && report.download != nil)
        #expect(report.duration < .seconds(10))
    }

    @Test func `a server that is not there is unreachable, one that is silent in time`() async throws {
        let port = try Loopback.closedPort()
        #expect(await runTest("http://127.0.0.1:\(port)").failure?.reason == .unreachable)
        #expect(await runTest("ftp://127.0.0.1:\(port)").failure?.reason == .unreachable)
        let silent = try RawServer { $0.readAll() }
        defer { silent.close() }
        #expect(
            await runTest("http://127.0.0.1:\(silent.port)") { $0.testWall = .seconds(2) }.failure?.reason == .timeout
        )
    }
}
