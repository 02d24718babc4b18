import Lab
import SpeedTestCore
import Statistics
import Testing

/// Real measurements: each wants the machine for itself, and is compared with what the server has logged of it.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct EngineTimingTests {
    private static let rate = 4_000_000.0
    private let stolen = StolenTime()

    /// Compares a result with the spans of the server's own log that are as long as its window.
    private func expect(
        _ report: DirectionReport,
        _ direction: Direction,
        asLoggedBy server: SpeedlabServer,
        within tolerance: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let logged = try #require(server.log.rates(direction, over: report.window), "\(stolen)")
        #expect(
            logged.widened(by: tolerance).contains(report.rate.bytesPerSecond),
            "\(report), the server logged \(logged); \(stolen)",
            sourceLocation: sourceLocation
        )
    }

    @Test func `a test finds the rate of a slow server in both directions and accounts for all of it`() async throws {
        let server = try SpeedlabServer(rate: Self.rate)
        defer { server.close() }
        let account = TrafficAccount()
        let report = await runTest(server.url, account: account) {
            ($0.window, $0.idleSamples) = (.seconds(1) ... .seconds(3), 20)
        }
        #expect(report.failure == nil)
        let download = try #require(report.download)
        let upload = try #require(report.upload)
        try expect(download, .download, asLoggedBy: server, within: 0.05)
        try expect(upload, .upload, asLoggedBy: server, within: 0.05)
        #expect(download.accounting == .receiver && upload.accounting == .receiver)
        #expect(download.congestionControl == "reno")
        #expect(upload.congestionControl?.isEmpty == false)
        #expect(download.loadedLatency != nil && download.responsiveness != nil)
        #expect(report.traffic == account.bytes)
        #expect(report.traffic.received > download.bytes && report.traffic.transmitted > upload.bytes)
        // Half of the 20 samples took at least as long, one after the other.
        #expect(try #require(report.ping).latency * 10 < report.duration)
        #expect(report.host.hasPrefix("127.0.0.1:"))
    }

    @Test func `uploads shrink to what the server accepts`() async throws {
        let server = try SpeedlabServer(rate: Self.rate, largestUpload: 2_000_000)
        defer { server.close() }
        let report = await runTest(server.url) { $0.directions = [.upload] }
        let upload = try #require(report.upload, "\(report)")
        #expect(!upload.limits.contains(.server) && (upload.streams ?? 0) >= 4)
        // What the refused ones had sent does not count.
        try expect(upload, .upload, asLoggedBy: server, within: 0.1)
    }

    @Test func `the byte limit holds at the highest rate, and there is a value`() async throws {
        let (free, server) = (try SpeedlabServer(), try SpeedlabServer())
        defer { for server in [free, server] { server.close() } }
        let usual = await runTest(free.url).traffic
        // Half of what is moved without a limit, of which two thirds last 20 round trips, else there is no value. How many
        // bytes the value is from depends on how evenly this machine has moved them: its ends move inwards by time.
        let limits: [Direction: UInt64] = [.download: usual.received / 2, .upload: usual.transmitted / 2]
        let report = await runTest(server.url) {
            $0.byteLimit = limits
            $0.idleSamples = 7
            // Longer than the limit lasts on a machine that has become slower.
            $0.window = .seconds(30) ... .seconds(30)
        }
        #expect(report.failure == nil, "\(stolen)")
        for (direction, moved) in [
            (Direction.download, report.traffic.received), (.upload, report.traffic.transmitted),
        ] {
            let (found, limit) = (
                try #require(report[direction], "\(report); \(stolen)"), try #require(limits[direction])
            )
            #expect(found.limits.contains(.dataCap), "\(found)")
            #expect(found.bytes > 0 && found.bytes <= limit)
            #expect(Double(moved) < Double(limit) * 1.05, "\(report.traffic)")
        }
        // What was asked for, not only what came.
        let asked = server.requests.filter { $0.hasPrefix("GET /download") }.compactMap { line in
            line.split(separator: " ")[1].split(separator: "=").last.flatMap { UInt64($0) }
        }
        #expect(asked.reduce(0, +) <= limits[.download] ?? 0)
    }

    @Test(arguments: [Direction.download, .upload])
    func `cancelling ends it at once, and the bytes until then are reported`(direction: Direction) async throws {
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
                .run { if ($0.rate?.bytesPerSecond ?? 0) > 0 { isLoading.yield() } }
        }
        for await _ in loads { break }
        let start = ContinuousClock.now
        test.cancel()
        let report = await test.value
        #expect(start.duration(to: .now) < .seconds(1), "\(stolen)")
        #expect(report.failure?.reason == .cancelled)
        #expect(report[direction] == nil && report.ping != nil)
        #expect(report.traffic == account.bytes && report.traffic.total > 10_000)
    }

    @Test func `a direction ends at its time limit, whatever the server does`() async throws {
        let server = try RawServer.failing(.oneByteASecond)
        defer { server.close() }
        let start = ContinuousClock.now
        let report = await runTest("http://127.0.0.1:\(server.port)") { $0.directionWall = .seconds(1) }
        #expect(report.failure?.reason == .timeout)
        #expect(start.duration(to: .now) < .seconds(4), "\(stolen)")
    }

    @Test func `a time limit within the window ends it, and the window counts`() async throws {
        let server = try SpeedlabServer(rate: Self.rate)
        defer { server.close() }
        let report = await runTest(server.url) { options in
            options.directions = [.download]
            // Over two seconds a window counts, and it is asked to be longer than the wall lets it.
            options.window = .seconds(60) ... .seconds(60)
            options.directionWall = .seconds(8)
        }
        #expect(report.failure == nil && report.download != nil)
        #expect(report.duration < .seconds(10), "\(stolen)")
    }
}
