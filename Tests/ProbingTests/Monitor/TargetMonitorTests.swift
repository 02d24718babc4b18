import Coordination
import FoundationEssentials
import Lab
import Statistics
import Testing

@testable import Probing

/// The shell, on a clock that only the test moves.
@Suite(.timeLimit(.minutes(3)))
struct TargetMonitorTests {
    private let clock = ManualClock()

    /// The changes that a monitor reported, in order: `a up`, `a down`.
    private final class Changes: Sendable {
        let (stream, continuation) = AsyncStream<String>.makeStream()

        func add(_ target: Target, _ result: ProbeResult, _ change: TargetStatistics.Change) {
            continuation.yield("\(target.name) \(result.failure?.rawValue ?? "up")")
        }

        func addLocal(_ result: ProbeResult) { continuation.yield("local: \(result.detail)") }

        func next() async -> String? { await stream.first { _ in true } }
    }

    private func monitor(
        _ targets: [Target],
        _ changes: Changes = Changes(),
        answer: @escaping @Sendable (Target, ProbeContext) async -> ProbeResult
    ) -> TargetMonitor {
        let monitor = TargetMonitor(
            targets: targets,
            onExpensive: .slow,
            probe: answer,
            clock: clock,
            onChange: changes.add,
            onLocalFailure: changes.addLocal
        )
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        return monitor
    }

    @Test func `A local failure is reported and is not a change`() async {
        let changes = Changes()
        let monitor = monitor([.make("a")], changes) { _, _ in ProbeResult(failure: .local, detail: "no socket") }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            #expect(await changes.next() == "local: no socket")
            group.cancelAll()
        }
        #expect(monitor.report(named: "a")?.statistics.failures == [.local: 1])
    }

    @Test func `Probes at once and then at each interval, and reports the first result`() async {
        let (probed, continuation) = AsyncStream<String>.makeStream()
        let changes = Changes()
        let monitor = monitor([.make("a", every: .seconds(10))], changes) { target, _ in
            continuation.yield(target.name)
            return .success(1, rtt: 1)
        }
        var probes = probed.makeAsyncIterator()
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            for second in [10, 20, 30] {
                #expect(await probes.next() == "a")
                await clock.sleeper(until: .seconds(second))
                clock.advance(to: .seconds(second))
            }
            #expect(await probes.next() == "a")
            group.cancelAll()
        }
        #expect(await changes.next() == "a up")
        // The last probe may have been caught by the end.
        #expect((3...4).contains(monitor.report(named: "a")?.statistics.probes ?? 0))
        #expect(monitor.startDelay.counts[0] >= 3)
    }

    @Test func `A hanging target does not delay others, and is not counted when the monitor ends`() async {
        let changes = Changes()
        let monitor = monitor([.make("stuck"), .make("fine")], changes) { target, _ in
            if target.name == "fine" { return .success(1) }
            // Nobody moves this clock: it ends when it is cancelled.
            try? await ManualClock().sleep(for: .seconds(1))
            return .success(1)
        }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            await clock.sleeper(until: .milliseconds(500))
            clock.advance(to: .milliseconds(500))
            #expect(await changes.next() == "fine up")
            group.cancelAll()
        }
        #expect(monitor.reports.map(\.statistics.probes) == [0, 1])
        #expect(monitor.report(named: "stuck")?.statistics.isUp == nil)
    }

    @Test(arguments: zip([ProbeFailure.resolve, .timeout, .refused], ["unreachable", "unreachable", "refused"]))
    func `Offline a target is probed, and without a path the failure is unreachable`(
        failure: ProbeFailure,
        reported: String
    ) async {
        let changes = Changes()
        let monitor = monitor([.make("a")], changes) { _, context in
            #expect(!context.isConnected)
            return ProbeResult(failure: failure)
        }
        monitor.contextChanged(ProbeContext(isConnected: false), isNewUplink: true)
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            #expect(await changes.next() == "a \(reported)")
            group.cancelAll()
        }
        #expect(monitor.reports[0].statistics.isUp == false)
    }

    @Test func `offline the loopback still succeeds`() async {
        let changes = Changes()
        let monitor = monitor([.make("a", address: "127.0.0.1")], changes) { _, _ in .success(1, rtt: 1) }
        monitor.contextChanged(ProbeContext(isConnected: false), isNewUplink: true)
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            #expect(await changes.next() == "a up")
            group.cancelAll()
        }
    }

    @Test func `A new configuration is applied at once`() async {
        let changes = Changes()
        let monitor = monitor([], changes) { _, _ in .success(1) }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            await clock.sleeper(until: .seconds(3600))
            monitor.apply(targets: [.make("new")], onExpensive: .run)
            #expect(await changes.next() == "new up")
            monitor.apply(targets: [.make("other")], onExpensive: .run)
            #expect(await changes.next() == "other up")
            group.cancelAll()
        }
        #expect(monitor.reports.map(\.target.name) == ["other"])
    }

    @Test func `A constrained path is applied at once`() async {
        let changes = Changes()
        let monitor = monitor([.make("a", every: .seconds(10))], changes) { _, _ in .success(1) }
        monitor.contextChanged(ProbeContext(isExpensive: true), isNewUplink: false)
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            #expect(await changes.next() == "a up")
            await clock.sleeper(until: .seconds(100))
            monitor.contextChanged(ProbeContext(isConstrained: true), isNewUplink: false)
            await clock.sleeper(until: .seconds(10))
            clock.advance(to: .seconds(10))
            await clock.sleeper(until: .seconds(20))
            group.cancelAll()
        }
        #expect(monitor.reports[0].statistics.skipped == [.constrained: 1])
    }

    @Test func `Probes due close together share a wake-up`() async {
        let monitor = monitor([.make("a", every: .milliseconds(6)), .make("b", every: .milliseconds(6))]) { _, _ in
            .success(1)
        }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            await clock.sleeper(until: .milliseconds(10))
            clock.advance(to: .milliseconds(10))
            await clock.sleeper(until: .milliseconds(20))
            group.cancelAll()
        }
    }

    @Test func `A transfer that this process stopped is not counted`() async {
        let (probed, continuation) = AsyncStream<Void>.makeStream()
        let monitor = monitor([.make("a", every: .seconds(10))]) { _, _ in
            continuation.yield()
            return .cancelled
        }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            for second in [10, 20] {
                _ = await probed.first { _ in true }
                await clock.sleeper(until: .seconds(second))
                clock.advance(to: .seconds(second))
            }
            group.cancelAll()
        }
        #expect(monitor.reports[0].statistics == TargetStatistics(measuresRoundTrip: true))
    }

    @Test func `runs again after it ended`() async {
        let changes = Changes()
        let answers = Locked(0)
        let monitor = monitor([.make("a", every: .seconds(10))], changes) { _, _ in
            let count = answers.withLock {
                $0 += 1
                return $0
            }
            return count == 1 ? .success(1) : ProbeResult(failure: .timeout)
        }
        for expected in ["a up", "a timeout"] {
            await withTaskGroup { group in
                group.addTask { await monitor.run() }
                #expect(await changes.next() == expected)
                group.cancelAll()
            }
            clock.advance(to: clock.now.offset + .seconds(3))
        }
        #expect(monitor.startDelay.counts[0] == 2)
    }
}
