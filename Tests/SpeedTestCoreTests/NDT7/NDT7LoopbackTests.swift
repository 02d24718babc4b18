import Glibc
import Lab
import Locking
import SpeedTestCore
import Testing

/// Our client against our server, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct NDT7LoopbackTests {
    @Test(arguments: Direction.allCases)
    func `both sides agree on what moved`(direction: Direction) async throws {
        let server = try NDT7TestServer()
        let account = TrafficAccount()
        let measurement = try NDT7Measurement.make(server.url, account: account) {
            // So long that the server's messages, at most 625 ms apart, cover half of it in any case.
            if direction == .upload { $0.window = .seconds(3) ... .seconds(3) }
        }
        try await measurement.prepare()
        let steps = Locked<[SpeedTestProgress]>([])
        let report = try await measurement.measure(direction, idle: nil) { step in steps.withLock { $0.append(step) } }
        server.close()

        #expect(report.bytesPerSecond > 1_000_000)
        #expect(report.accounting == .receiver)
        #expect(report.window >= .milliseconds(290) && report.window <= .seconds(5))
        let rate = Double(report.bytes) / report.window.inSeconds
        #expect(abs(report.bytesPerSecond - rate) < 0.001 * rate)
        #expect(report.streams == 1)
        #expect(report.congestionControl?.isEmpty == false)
        let moved = account.bytes
        let state = server.state
        let (counted, truth) =
            direction == .download ? (moved.received, state.sent) : (moved.transmitted, state.received)
        // The rest was on its way when the client had enough.
        #expect(counted > 0)
        #expect(Double(counted) >= Double(truth) * (direction == .download ? 0.5 : 0.999))
        #expect(counted >= report.bytes)
        let seen = steps.withLock { $0 }
        #expect(seen.contains { $0.phase.rawValue == direction.rawValue && ($0.bytesPerSecond ?? 0) > 0 })
        #expect(state.targets.count == 1)
        #expect(
            state.targets[0].hasPrefix("/speedtest/ndt/v7/\(direction.rawValue)?client_name=test&client_version=1.2&")
        )
    }

    @Test(arguments: Direction.allCases)
    func `a server that ends at its nominal time is no failure`(direction: Direction) async throws {
        var limits = NDT7Limits()
        limits.duration = .milliseconds(900)
        let server = try NDT7TestServer(limits: limits)
        // Never stable: an interval is longer than the test.
        var pace = NDT7Pace.quick
        pace.interval = .seconds(5)
        let measurement = try NDT7Measurement.make(server.url, pace: pace) {
            $0.window = .milliseconds(200) ... .seconds(10)
        }
        let report = try await measurement.measure(direction)
        server.close()
        #expect(report.window > .milliseconds(200))
        #expect(report.window < .seconds(2))
        #expect(!report.isStable)
    }

    @Test(arguments: Direction.allCases)
    func `the byte limit ends it, at most a twentieth over`(direction: Direction) async throws {
        let server = try NDT7TestServer()
        let account = TrafficAccount()
        var pace = NDT7Pace.quick
        pace.shortestCapped = .zero
        pace.sample = .milliseconds(1)
        let limit: UInt64 = 200_000_000
        let measurement = try NDT7Measurement.make(server.url, account: account, pace: pace) {
            $0.byteLimit = [direction: limit]
            $0.window = .seconds(5) ... .seconds(10)
        }
        let report = try await measurement.measure(direction)
        server.close()
        #expect(report.limits.contains(.dataCap))
        let moved = direction == .download ? account.bytes.received : account.bytes.transmitted
        #expect(Double(moved) <= Double(limit) * 1.05)
        #expect(Double(moved) >= Double(limit) * 0.5)
    }

    @Test func `a byte limit that leaves no window is said to be too small`() async throws {
        let server = try NDT7TestServer()
        var pace = NDT7Pace.quick
        pace.shortestCapped = .seconds(1)
        let measurement = try NDT7Measurement.make(server.url, pace: pace) {
            $0.byteLimit = [.download: 100_000]
            $0.window = .seconds(5) ... .seconds(10)
        }
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measurement.measure(.download) }
        server.close()
        #expect(failure?.reason == .short)
    }

    @Test func `idle latency is that of handshakes, which the server does not take for tests`() async throws {
        let server = try NDT7TestServer()
        let account = TrafficAccount()
        let measurement = try NDT7Measurement.make(server.url, account: account)
        let steps = Locked(0)
        let latency = try await measurement.idleLatency { step in
            #expect(step.phase == .latency)
            steps.withLock { $0 += 1 }
        }
        server.close()
        #expect(latency.latency > .zero && latency.latency < .milliseconds(50))
        #expect(latency.minimum <= latency.latency)
        #expect(latency.loss == 0)
        #expect(steps.withLock { $0 } > 0)
        #expect(server.state.targets.isEmpty)
        #expect(account.bytes.total == 0)
    }

    @Test(arguments: Direction.allCases)
    func `a cancelled test ends within 100 ms and says so`(direction: Direction) async throws {
        let server = try NDT7TestServer()
        let (started, starter) = AsyncStream<Void>.makeStream()
        let measurement = try NDT7Measurement.make(server.url) { $0.window = .seconds(8) ... .seconds(9) }
        let test = Task {
            try await measurement.measure(direction, idle: nil) { _ in starter.yield() }
        }
        for await _ in started { break }
        let asked = ContinuousClock.now
        test.cancel()
        let failure = await #expect(throws: SpeedTestFailure.self) { try await test.value }
        // 100 ms, and what two busy cores may add.
        #expect(asked.duration(to: .now) < .milliseconds(500))
        #expect(failure?.reason == .cancelled)
        server.close()
        #expect(server.open == 0)
    }

    @Test(arguments: Direction.allCases)
    func `the device and the congestion control are those that were asked for`(direction: Direction) async throws {
        var limits = NDT7Limits()
        limits.congestionControl = "reno"
        let server = try NDT7TestServer(limits: limits)
        var named = SpeedTestServer(name: "test", dialect: .ndt7, url: server.url)
        named.congestionControl = "reno"
        var options = SpeedTestOptions()
        options.window = .milliseconds(300) ... .milliseconds(600)
        func measure() async throws(SpeedTestFailure) -> DirectionReport {
            let account = TrafficAccount()
            return try await NDT7Measurement(
                server: named,
                options: options,
                account: account,
                userAgent: "test",
                pace: .quick
            ).measure(direction)
        }
        options.interface = "lo"
        #expect(try await measure().congestionControl == "reno")
        options.interface = "nhe-none"
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measure() }
        #expect(failure?.reason == .unreachable && failure?.message.contains("nhe-none") == true)
        options.interface = nil
        named.congestionControl = "nobodys"
        let other = await #expect(throws: SpeedTestFailure.self) { try await measure() }
        #expect(other?.message.contains("nobodys") == true)
        server.close()
    }

    @Test func `tests leave no descriptor behind`() async throws {
        let server = try NDT7TestServer()
        let measurement = try NDT7Measurement.make(server.url) { $0.window = .milliseconds(50) ... .milliseconds(60) }
        _ = try await measurement.measure(.download)
        let sockets = try connections(to: server.url)
        for direction in [Direction.upload, .download, .upload] { _ = try await measurement.measure(direction) }
        _ = try await measurement.idleLatency { _ in }
        let closed = try NDT7Measurement.make("ws://127.0.0.1:\(try Loopback.closedPort())")
        let failure = await #expect(throws: SpeedTestFailure.self) { try await closed.measure(.download) }
        #expect(failure?.reason == .unreachable)
        #expect(try connections(to: server.url) <= sockets)
        server.close()
    }
}

/// How many descriptors of this process are connected to the port of a URL of 127.0.0.1, which no other test has.
private func connections(to url: String) throws -> Int {
    let port = try #require(UInt16(url.split(separator: ":")[2].prefix { $0.isNumber }))
    return (0..<4096).count { descriptor in
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &length) }
        }
        return code == 0 && Int32(address.sin_family) == AF_INET && UInt16(bigEndian: address.sin_port) == port
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
