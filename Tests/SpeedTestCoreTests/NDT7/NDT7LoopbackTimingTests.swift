import Coordination
import Lab
import SpeedTestCore
import Statistics
import Testing

/// Our client against our server, over real sockets: what is compared with the server's counts, or is about time.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct NDT7LoopbackTimingTests {
    private let stolen = StolenTime()

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

        #expect(report.rate.bytesPerSecond > 1_000_000, "\(stolen)")
        #expect(report.accounting == .receiver)
        #expect(report.window >= .milliseconds(290) && report.window <= .seconds(5), "\(report.window); \(stolen)")
        let rate = Double(report.bytes) / report.window.inSeconds
        #expect(abs(report.rate.bytesPerSecond - rate) < 0.001 * rate)
        #expect(report.streams == 1)
        #expect(report.congestionControl?.isEmpty == false)
        let moved = account.bytes
        let state = server.state
        let (counted, truth) =
            direction == .download ? (moved.received, state.sent) : (moved.transmitted, state.received)
        // The rest was on its way when the client had enough.
        #expect(counted > 0)
        #expect(Double(counted) >= Double(truth) * (direction == .download ? 0.5 : 0.999), "\(stolen)")
        #expect(counted >= report.bytes)
        let seen = steps.withLock { $0 }
        #expect(seen.contains { $0.phase.rawValue == direction.rawValue && ($0.rate?.bytesPerSecond ?? 0) > 0 })
        #expect(state.targets.count == 1)
        #expect(
            state.targets[0].hasPrefix("/speedtest/ndt/v7/\(direction.rawValue)?client_name=test&client_version=1.2&")
        )
    }

    @Test(arguments: Direction.allCases)
    func `a server that ends at its nominal time does not fail the test`(direction: Direction) async throws {
        var limits = NDT7Limits()
        limits.duration = .milliseconds(900)
        let server = try NDT7TestServer(limits: limits)
        let measurement = try NDT7Measurement.make(server.url) {
            $0.window = .milliseconds(200) ... .seconds(10)
        }
        let report = try await measurement.measure(direction)
        server.close()
        #expect(report.window > .milliseconds(200))
        #expect(report.window < .seconds(2), "\(report.window); \(stolen)")
    }

    @Test(arguments: Direction.allCases)
    func `the byte limit ends it, at most a twentieth over`(direction: Direction) async throws {
        let server = try NDT7TestServer()
        let account = TrafficAccount()
        var timing = NDT7Timing.quick
        timing.shortestCapped = .zero
        timing.sample = .milliseconds(1)
        let limit: UInt64 = 200_000_000
        let measurement = try NDT7Measurement.make(server.url, account: account, timing: timing) {
            $0.byteLimit = [direction: limit]
            $0.window = .seconds(5) ... .seconds(10)
        }
        let report = try await measurement.measure(direction)
        server.close()
        #expect(report.limits.contains(.dataCap))
        let moved = direction == .download ? account.bytes.received : account.bytes.transmitted
        #expect(Double(moved) <= Double(limit) * 1.05, "\(stolen)")
        #expect(Double(moved) >= Double(limit) * 0.5, "\(stolen)")
    }

    @Test func `idle latency is that of handshakes, which the server does not take for tests`() async throws {
        let server = try NDT7TestServer()
        let account = TrafficAccount()
        let measurement = try NDT7Measurement.make(server.url, account: account)
        let steps = Locked(0)
        let start = ContinuousClock.now
        let latency = try await measurement.idleLatency { step in
            #expect(step.phase == .latency)
            steps.withLock { $0 += 1 }
        }
        let elapsed = start.duration(to: .now)
        server.close()
        // The median: half of the handshakes took at least as long, one after the other.
        #expect(latency.latency > .zero && latency.latency * 2 < elapsed, "\(latency) in \(elapsed)")
        #expect(steps.withLock { $0 } > 0)
        #expect(server.state.targets.isEmpty)
        // Six handshakes, without any payload: two packets from here and one to here, and what ends them.
        #expect((6 * 3 * 40...6 * 10 * 60).contains(account.bytes.total))
    }

    @Test(arguments: Direction.allCases)
    func `a cancelled test ends long before its window would, and says so`(direction: Direction) async throws {
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
        // Of the window almost all was left.
        #expect(asked.duration(to: .now) < .seconds(8) / 2, "\(stolen)")
        #expect(failure?.reason == .cancelled)
        server.close()
        #expect(server.open == 0)
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
