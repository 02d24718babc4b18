import Coordination
import Foundation
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealth

/// A host whose first evaluation the test holds back, as a busy machine does.
private struct BusyHost: ~Copyable {
    let log = CallLog()
    let host: HostMonitor
    private let turn = DispatchSemaphore(value: 0)

    init() throws {
        let turn = turn
        host = HostMonitor(log: EvaluationLog(log)) { turn.wait() }
        try host.start()
    }

    /// The machine has time for it.
    func proceed() { turn.signal() }

    deinit {
        turn.signal()
        host.stop()
    }
}

/// A tester with its result, during which something happens.
private struct EventfulTester: SpeedTester {
    var result = SpeedTestResult(downloadSpeedMbps: 60, uploadSpeedMbps: 5, latency: 0.02)
    var event: @Sendable () -> Void = {}

    func measureSpeed() async throws -> SpeedTestResult {
        event()
        return result
    }
}

private struct FailingTester: SpeedTester {
    func measureSpeed() async throws -> SpeedTestResult { throw CancellationError() }
}

@Suite(.timeLimit(.minutes(3)))
struct HostMonitorTests {
    /// The line of a first evaluation that does not come.
    private static let late = "error The first evaluation of the network took longer than 1 s: its state is unknown"

    /// Longer than a test may take.
    private static let noLimit = Duration.seconds(3600)

    /// Not started: its network is what the test says.
    private func host(_ path: Path?) -> HostMonitor {
        let host = HostMonitor(log: EvaluationLog(CallLog()))
        if let path { host.health.receive(.now(path, 1)) }
        return host
    }

    // MARK: The first evaluation

    @Test func `the first snapshot on a busy machine waits for the evaluation`() async throws {
        let busy = try BusyHost()
        // Without the limit of a second, which the next test has: this machine may be busy, too.
        async let first = busy.host.firstState(within: Self.noLimit)
        while busy.host.health.states.readerCount == 0 { await Task.yield() }
        busy.proceed()
        let state = try #require(await first)
        let taken = await busy.host.snapshot()
        #expect(taken.since == state.timestamp && taken.quality == state.quality)
    }

    @Test func `after a second the type is unknown, with one error in the log, and never offline`() async throws {
        let busy = try BusyHost()
        let began = ContinuousClock.now
        let snapshot = await busy.host.snapshot()
        #expect(began.duration(to: .now) >= .seconds(1))
        #expect(snapshot.connectionType == .unknown && snapshot.quality == .moderate && snapshot.since == nil)
        let check = await busy.host.check(.basicBrowsing)
        #expect(!check.passed && check.currentQuality == .moderate)
        #expect(check.recommendation == HealthReason.starting.recommendation(on: .unknown))
        // A read that blocks waits for the same second, which is over.
        let reading = busy.host.reading
        #expect(reading == .unknown && reading.status == .unsatisfied && reading.connectionType == .unknown)
        #expect(await busy.log.first(1) == [Self.late])
        busy.proceed()
        #expect(await busy.host.snapshot().since != nil)
        #expect(await busy.log.first(1) == [Self.late], "once")
    }

    @Test func `a kernel that cannot be read is not waited for`() async {
        let calls = CallLog()
        let host = ScriptedHost(log: EvaluationLog(calls))
        host.unreadable.send("socket: Permission denied")
        #expect(await host.firstState(within: Self.noLimit) == nil)
        host.log.failed(CancellationError())
        #expect(await calls.first(1) == ["error The network cannot be watched: CancellationError()"])
    }

    @Test func `a stopped monitor is disconnected, without a type`() throws {
        let host = HostMonitor()
        #expect(host.reading == .stopped)
        #expect(host.reading.status == .disconnected && host.reading.connectionType == nil)
    }

    // MARK: Speed tests

    @Test func `a result counts for its uplink, with its latency, for twelve hours`() async throws {
        let host = host(.over(.wifi, name: "wlan0"))
        let measured = await host.snapshot(after: EventfulTester())
        #expect(measured.quality == .excellent && measured.downloadSpeedMbps == 60 && measured.latency == 0.02)
        let later = await host.snapshot()
        #expect(later.quality == .excellent && later.downloadSpeedMbps == 60 && later.uploadSpeedMbps == 5)
        #expect(later.latency == 0.02)
        #expect(await host.check(.largeDownload).passed)
        let uplink = try #require(Uplink(.over(.wifi, name: "wlan0")))
        host.health.learn { history in
            let ended = Date.now - 12 * 3600 + 0.2
            history.set(SpeedMeasurement(download: .megabits(60), upload: nil, measuredAt: ended), of: uplink)
        }
        // No event reports that it is too old.
        var expired = await host.snapshot()
        while expired.downloadSpeedMbps != nil {
            await Task.yield()
            expired = await host.snapshot()
        }
        #expect(expired.quality == .good && expired.downloadSpeedMbps == nil && expired.latency == nil)
        #expect(await !host.check(.largeDownload).passed)
    }

    @Test func `a result is returned where the uplink changes during the test, and counts for neither`() async {
        let host = host(.over(.wifi, name: "wlan0"))
        let tester = EventfulTester { host.health.receive(.now(.over(.cellular, name: "wwan0"), 2)) }
        let measured = await host.snapshot(after: tester)
        #expect(measured.downloadSpeedMbps == 60 && measured.uploadSpeedMbps == 5 && measured.latency == 0.02)
        #expect(measured.connectionType == .cellular && measured.quality == .moderate)
        let later = await host.snapshot()
        #expect(later.downloadSpeedMbps == nil && later.latency == nil)
        host.health.receive(.now(.over(.wifi, name: "wlan0"), 3))
        #expect(await host.snapshot().downloadSpeedMbps == nil)
    }

    @Test func `a result is returned without an uplink, which stays offline`() async {
        let host = host(Path(status: .unsatisfied, unsatisfiedReason: .noRoute))
        let measured = await host.snapshot(after: EventfulTester())
        #expect(measured.downloadSpeedMbps == 60 && measured.latency == 0.02 && measured.quality == .offline)
        #expect(await host.snapshot().downloadSpeedMbps == nil)
    }

    @Test func `a tester that throws leaves no speeds, also after one that did not`() async {
        let host = host(.over(.wifi, name: "wlan0"))
        _ = await host.snapshot(after: EventfulTester())
        let failed = await host.snapshot(after: FailingTester())
        #expect(failed.downloadSpeedMbps == nil && failed.uploadSpeedMbps == nil && failed.latency == nil)
        #expect(failed.quality == .good)
        #expect(await host.snapshot().downloadSpeedMbps == 60)
    }

    // MARK: Requirements

    @Test func `custom(offline) always passes`() async {
        for path in [nil, Path.over(.wifi), Path(status: .unsatisfied, unsatisfiedReason: .linkDown)] {
            let check = await host(path).check(.custom(.offline))
            #expect(check.passed && check.requiredQuality == .offline)
            #expect(check.recommendation == HealthReason.sufficient)
        }
    }

    // MARK: Times

    @Test func `a snapshot has the time at which it was taken, and that at which its state began`() async throws {
        let host = host(.over(.wifi, name: "wlan0"))
        let began = try #require(host.health.current).timestamp
        let first = await host.snapshot()
        #expect(first.since == began && first.timestamp >= began && first.timestamp <= .now)
        // A gateway more is a state that shows no difference.
        var path = Path.over(.wifi, name: "wlan0")
        path.gateways = ["192.0.2.1"]
        host.health.receive(.now(path, 2))
        let second = await host.snapshot()
        #expect(second.since == began && second.timestamp >= first.timestamp)
        path.isExpensive = true
        host.health.receive(.now(path, 3))
        let third = await host.snapshot()
        #expect(try #require(third.since) > began)
        #expect(third.since == host.health.current?.timestamp)
    }
}
