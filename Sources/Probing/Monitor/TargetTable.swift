import FoundationEssentials
import Statistics

/// All targets, their schedule and their statistics: the decisions of the monitor as a pure value.
///
/// Times are relative to an origin of the caller.
struct TargetTable: Sendable {
    /// One probe that is due now.
    struct Run: Sendable {
        var target: Target
        var context: ProbeContext
        /// When it should have started.
        var due: Duration
        /// The configured target and the uplink at its start.
        fileprivate var incarnation: UInt64
        fileprivate var uplink: UInt64
        /// The outage in which it started.
        fileprivate var outage: OutagePeriod?
    }

    private struct Row {
        var index: Int
        /// A new number for each new or changed target.
        var incarnation: UInt64
        var inFlight = 0
        /// When the probe was due whose result is the last one.
        var shown: Duration?
    }

    /// A timeout may be longer than the interval; a probe is left out while this many of its target are running.
    static let maximumInFlight = 8
    /// In seconds.
    static let startDelayBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

    /// In the order of the configuration, those included that are not listed.
    private var all: [TargetReport] = []
    /// How late the probes started.
    private(set) var startDelay = DurationHistogram(bounds: startDelayBounds)
    /// What all probes have cost, those of targets that are gone included.
    private(set) var traffic = ByteCounts()

    private var rows: [String: Row] = [:]
    private var schedule = ProbeSchedule()
    /// nil: the path is not known yet, and no target is probed.
    private var context: ProbeContext?
    private var onExpensive = CostRule.slow
    private var incarnations: UInt64 = 0
    private var uplink: UInt64 = 0
    private var outage = LastOutage()

    /// In the order of the configuration.
    var reports: [TargetReport] { all.filter(isListed) }

    func report(named name: String) -> TargetReport? {
        rows[name].map { all[$0.index] }.flatMap { isListed($0) ? $0 : nil }
    }

    /// Those that a text can mean: the one of this name, then those of this address, then those of another spelling of it.
    func reports(meantBy text: String) -> [TargetReport] {
        let spellings = Target.spellings(ofAddress: text)
        let others = all.filter { $0.target.name != text && spellings.contains($0.target.address) && isListed($0) }
        return [report(named: text)].compactMap(\.self) + others.filter { $0.target.address == text }
            + others.filter { $0.target.address != text }
    }

    /// Replaces the targets; an unchanged one keeps everything, a changed one nothing.
    mutating func apply(_ targets: [Target], onExpensive: CostRule, at now: Duration) {
        self.onExpensive = onExpensive
        let (oldRows, oldReports) = (rows, all)
        (rows, all) = ([:], [])
        var begun: Set<String> = []
        for target in targets where rows[target.name] == nil {
            if var row = oldRows[target.name], oldReports[row.index].target == target {
                all.append(oldReports[row.index])
                row.index = all.count - 1
                rows[target.name] = row
            } else {
                begun.insert(target.name)
                all.append(TargetReport(target))
                incarnations += 1
                rows[target.name] = Row(index: all.count - 1, incarnation: incarnations)
            }
        }
        schedule.remove(begun)
        plan(at: now)
    }

    /// Applies another path: other routers, another cost.
    ///
    /// The watched router is probed at once where the path leads over another one, or was forbidden or restored.
    mutating func change(_ context: ProbeContext, isNewUplink: Bool, at now: Duration) {
        let last = self.context
        self.context = context
        if isNewUplink { uplink += 1 }
        var urgent: [String] = []
        for index in all.indices {
            let (target, router) = (all[index].target, all[index].target.watchedGateway(in: context))
            let isOther = target.watchedGateway(in: last) != router
            if isOther {
                all[index].statistics.restartWatch()
            } else if isNewUplink {
                all[index].statistics.restartWindow()
            }
            if router != nil, isOther || last?.isConnected != context.isConnected { urgent.append(target.name) }
        }
        plan(at: now)
        for name in urgent { schedule.hasten(name, at: now) }
    }

    /// Leaves out of the windows what is measured in an outage.
    ///
    /// - Parameters:
    ///   - outage: the ongoing one, else the last one; nil: there was none yet.
    ///   - now: by the clock of the windows.
    ///   - awake: the same instant, by the clock of the outage.
    mutating func change(
        _ outage: OutagePeriod?,
        at now: OutcomeWindow.Instant = .now,
        awake: SuspendingClock.Instant = .now
    ) {
        guard let outage = self.outage.change(to: outage) else { return }
        for index in all.indices where outage.affects(all[index]) {
            all[index].statistics.leaveOut(outage, at: now, awake: awake)
        }
    }

    /// Probes over a path of which nothing is known, unless there has been a path.
    mutating func startWithoutPath(at now: Duration) {
        guard context == nil else { return }
        change(ProbeContext(), isNewUplink: false, at: now)
    }

    /// Restarts the schedule.
    mutating func restart(at now: Duration) {
        schedule = ProbeSchedule()
        plan(at: now)
    }

    /// When `start` has something to do next.
    var next: Duration? { schedule.next }

    /// Takes the due probes; each run ends with `finish` or `abandon`.
    mutating func start(at now: Duration) -> [Run] {
        guard let context else { return [] }
        return schedule.due(at: now).compactMap { due in
            guard let row = rows[due.name] else { return nil }
            if case .skip(let reason) = all[row.index].decision {
                all[row.index].statistics.skip(reason)
                return nil
            }
            guard row.inFlight < Self.maximumInFlight else { return nil }
            rows[due.name]?.inFlight += 1
            return Run(
                target: all[row.index].target,
                context: context,
                due: due.time,
                incarnation: row.incarnation,
                uplink: uplink,
                outage: outage.ongoing
            )
        }
    }

    /// Counts the result of a run, unless its target was removed or changed; returns how the state of the target changed.
    mutating func finish(
        _ run: Run,
        _ result: ProbeResult,
        startDelay: Duration,
        date: Date,
        at now: OutcomeWindow.Instant
    ) -> TargetStatistics.Change? {
        self.startDelay.observe(max(.zero, startDelay))
        traffic += ByteCounts(received: result.receivedBytes, transmitted: result.sentBytes)
        guard let row = end(run),
            run.target.watchedGateway(in: run.context) == run.target.watchedGateway(in: context),
            // The router of another uplink may have the same address.
            run.uplink == uplink || !run.target.isBuiltIn
        else { return nil }
        let result = result.concluded(hasAnswered: all[row.index].statistics.hasAnswered)
        let isInOutage = [run.outage, outage.ongoing].contains { $0?.affects(all[row.index]) ?? false }
        all[row.index].statistics.count(result, at: now, showsNetwork: run.uplink == uplink && !isInOutage)
        // A slow probe that ends after one that started later is not the last result.
        guard row.shown.map({ $0 < run.due }) ?? true else { return nil }
        rows[run.target.name]?.shown = run.due
        return all[row.index].statistics.show(result, at: date)
    }

    /// Counts nothing: the run was cancelled.
    mutating func abandon(_ run: Run) { _ = end(run) }

    mutating func lateReply(of name: String) {
        guard let row = rows[name] else { return }
        all[row.index].statistics.countLateReply()
    }

    /// The row of the run, which has ended; nil if the target was removed or changed.
    private mutating func end(_ run: Run) -> Row? {
        guard let row = rows[run.target.name], row.incarnation == run.incarnation else { return nil }
        rows[run.target.name]?.inFlight -= 1
        return row
    }

    /// The target that is there without a configuration is listed while there is a router to watch that could be pinged.
    private func isListed(_ report: TargetReport) -> Bool {
        guard report.target.isBuiltIn else { return true }
        let hasResult = report.statistics.lastResult != nil || report.statistics.inconclusive == .silent
        return hasResult && report.target.watchedGateway(in: context) != nil
    }

    /// Decides what each target may cost, and schedules it accordingly.
    private mutating func plan(at now: Duration) {
        guard let context else { return }
        for index in all.indices {
            all[index].decision = CostDecision(all[index].target, onExpensive: onExpensive, in: context)
        }
        let intervals = all.filter { $0.target.isWatchable(in: context) }.map { report in
            (report.target.name, report.decision.interval(of: report.target))
        }
        schedule.update(intervals, at: now)
    }
}
