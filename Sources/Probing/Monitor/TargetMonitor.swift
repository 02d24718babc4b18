import Coordination
import FoundationEssentials
package import Statistics

/// Probes the configured targets, each at its interval, and keeps their statistics.
///
/// Every probe is a task of its own: none waits for another. Readers copy the results and start nothing.
package final class TargetMonitor: Sendable {
    /// The shortest sleep: probes that are due closer together start together, since a wake-up costs more than a start.
    private static let minimumSleep = Duration.milliseconds(10)
    /// The longest sleep; a change ends it earlier.
    private static let idleSleep = Duration.seconds(3600)

    let table = Locked(TargetTable())
    private let probe: @Sendable (Target, ProbeContext) async -> ProbeResult
    private let stopwatch: Stopwatch
    private let alarm: Alarm
    private let onChange: @Sendable (Target, ProbeResult, TargetStatistics.Change) -> Void
    private let onLocalFailure: @Sendable (ProbeResult) -> Void

    /// - Parameters:
    ///   - targets: with distinct names; of two with the same name the first counts.
    ///   - onExpensive: for targets without their own rule.
    ///   - probe: probes a target once: `ProbeEngine.probe`.
    ///   - clock: measures the intervals; the default stops while the machine is suspended.
    ///   - onChange: called with each target whose state changes, and the result that changed it.
    ///   - onLocalFailure: called with each probe that a limit of this machine ended.
    package init(
        targets: [Target],
        onExpensive: CostRule,
        probe: @escaping @Sendable (Target, ProbeContext) async -> ProbeResult,
        clock: some Clock<Duration> = SuspendingClock(),
        onChange: @escaping @Sendable (Target, ProbeResult, TargetStatistics.Change) -> Void = { _, _, _ in },
        onLocalFailure: @escaping @Sendable (ProbeResult) -> Void = { _ in }
    ) {
        self.probe = probe
        self.onChange = onChange
        self.onLocalFailure = onLocalFailure
        let stopwatch = Stopwatch(clock)
        self.stopwatch = stopwatch
        alarm = Alarm(stopwatch)
        apply(targets: targets, onExpensive: onExpensive)
    }

    /// Replaces the targets; an unchanged one keeps its counters, a changed one starts at 0.
    package func apply(targets: [Target], onExpensive: CostRule) {
        table.withLock { $0.apply(targets, onExpensive: onExpensive, at: stopwatch.elapsed) }
        alarm.wake()
    }

    /// Reports the path to later probes; the first probes wait for it.
    ///
    /// - Parameters:
    ///   - context: the current path.
    ///   - isNewUplink: whether the device or the gateway of the path has changed: the windows restart.
    package func contextChanged(_ context: ProbeContext, isNewUplink: Bool) {
        table.withLock { $0.change(context, isNewUplink: isNewUplink, at: stopwatch.elapsed) }
        alarm.wake()
    }

    /// Reports the ongoing outage, else the last one: what is measured in it is not in the windows.
    package func outageChanged(_ outage: OutagePeriod?) { table.withLock { $0.change(outage) } }

    /// Starts the first probes where no path will be reported; a path that was reported remains.
    package func startWithoutPath() {
        table.withLock { $0.startWithoutPath(at: stopwatch.elapsed) }
        alarm.wake()
    }

    /// Counts a reply to a probe that has timed out, which stays lost.
    package func lateReply(of name: String) {
        table.withLock { $0.lateReply(of: name) }
    }

    /// In the order of the configuration.
    package var reports: [TargetReport] { table.read { $0.reports } }

    package func report(named name: String) -> TargetReport? { table.read { $0.report(named: name) } }

    /// Those that a text can mean, the most likely one first: by its name, by its address, by another spelling of it.
    package func reports(meantBy text: String) -> [TargetReport] { table.read { $0.reports(meantBy: text) } }

    /// In seconds.
    package static let startDelayBounds = TargetTable.startDelayBounds

    /// How late the probes started.
    package var startDelay: DurationHistogram { table.read { $0.startDelay } }

    /// The payload of TCP, UDP and ICMP of all probes, including those of removed targets.
    package var traffic: ByteCounts { table.read { $0.traffic } }

    /// Probes until the task is cancelled, and then until the last probe has ended.
    package func run() async {
        table.withLock { $0.restart(at: stopwatch.elapsed) }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let now = stopwatch.elapsed
                let (runs, next) = table.withLock { ($0.start(at: now), $0.next) }
                for run in runs { group.addTask { await self.perform(run) } }
                await alarm.sleep(until: max(next ?? now + Self.idleSleep, now + Self.minimumSleep))
            }
        }
    }

    private func perform(_ run: TargetTable.Run) async {
        let startDelay = stopwatch.elapsed - run.due
        let found = await probe(run.target, run.context)
        let result = found.seen(from: run.context)
        guard !Task.isCancelled, !result.isCancelled else { return table.withLock { $0.abandon(run) } }
        let change = table.withLock { $0.finish(run, result, startDelay: startDelay, date: .now, at: .now) }
        if let change { onChange(run.target, result, change) }
        if result.failure == .local { onLocalFailure(result) }
    }
}
