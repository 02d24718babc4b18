import FoundationEssentials
import Statistics

/// All targets, their turns and their statistics: what the monitor decides, as a pure value.
///
/// Times are counted from an origin of the caller's.
struct TargetTable: Sendable {
    /// One probe that is to be made now.
    struct Run: Sendable {
        var target: Target
        var context: ProbeContext
        /// When it should have started.
        var due: Duration
        /// Of which configured target and on which uplink.
        fileprivate var incarnation: UInt64
        fileprivate var uplink: UInt64
    }

    private struct Row {
        var index: Int
        /// Another number for each target that was new or changed.
        var incarnation: UInt64
        var decision = CostDecision.run
        var inFlight = 0
        /// When the probe was due that is shown as the last.
        var shown: Duration?
    }

    /// A timeout may be longer than the interval; a turn that finds this many probes of its target under way is left out.
    static let maximumInFlight = 8
    /// In seconds.
    static let startDelayBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

    /// In the order of the configuration.
    private(set) var reports: [TargetReport] = []
    /// How late the probes started.
    private(set) var startDelay = DurationHistogram(bounds: startDelayBounds)
    /// What all probes have cost, those of targets that are gone included.
    private(set) var traffic = Traffic()

    private var rows: [String: Row] = [:]
    private var schedule = ProbeSchedule()
    /// nil: the path is not known yet, and no target has a turn.
    private var context: ProbeContext?
    private var onExpensive = CostRule.slow
    private var incarnations: UInt64 = 0
    private var uplink: UInt64 = 0

    func report(named name: String) -> TargetReport? { rows[name].map { reports[$0.index] } }

    /// Makes these the targets; an unchanged one keeps everything, a changed one nothing.
    mutating func apply(_ targets: [Target], onExpensive: CostRule, at now: Duration) {
        self.onExpensive = onExpensive
        let (oldRows, oldReports) = (rows, reports)
        (rows, reports) = ([:], [])
        var begun: Set<String> = []
        for target in targets where rows[target.name] == nil {
            if var row = oldRows[target.name], oldReports[row.index].target == target {
                reports.append(oldReports[row.index])
                row.index = reports.count - 1
                rows[target.name] = row
            } else {
                begun.insert(target.name)
                reports.append(TargetReport(target))
                incarnations += 1
                rows[target.name] = Row(index: reports.count - 1, incarnation: incarnations)
            }
        }
        schedule.remove(begun)
        plan(at: now)
    }

    /// Another path: other routers, another cost.
    mutating func change(_ context: ProbeContext, isNewUplink: Bool, at now: Duration) {
        self.context = context
        if isNewUplink {
            uplink += 1
            for index in reports.indices { reports[index].statistics.restartWindow() }
        }
        plan(at: now)
    }

    /// Begins anew with the first turns.
    mutating func restart(at now: Duration) {
        schedule = ProbeSchedule()
        plan(at: now)
    }

    /// When `start` has something to do again.
    var next: Duration? { schedule.next }

    /// Takes the turns that have come; each run is handed back to `finish` or `abandon`.
    mutating func start(at now: Duration) -> [Run] {
        guard let context else { return [] }
        return schedule.due(at: now).compactMap { due in
            guard let row = rows[due.name] else { return nil }
            if case .skip(let reason) = row.decision {
                reports[row.index].statistics.skip(reason)
                return nil
            }
            guard row.inFlight < Self.maximumInFlight else { return nil }
            rows[due.name]?.inFlight += 1
            return Run(
                target: reports[row.index].target,
                context: context,
                due: due.time,
                incarnation: row.incarnation,
                uplink: uplink
            )
        }
    }

    /// Counts what a run found, unless its target is gone or changed; true when the target went up or down by it.
    mutating func finish(_ run: Run, _ result: ProbeResult, startDelay: Duration, date: Date) -> Bool {
        self.startDelay.observe(max(.zero, startDelay))
        traffic.received &+= result.receivedBytes
        traffic.sent &+= result.sentBytes
        guard let row = end(run) else { return false }
        reports[row.index].statistics.count(result, isOfThisUplink: run.uplink == uplink)
        // A slow probe that ends after one that started later tells nothing new.
        guard row.shown.map({ $0 < run.due }) ?? true else { return false }
        rows[run.target.name]?.shown = run.due
        return reports[row.index].statistics.show(result, at: date)
    }

    /// Counts nothing: the run was cancelled.
    mutating func abandon(_ run: Run) { _ = end(run) }

    mutating func lateReply(of name: String) {
        guard let row = rows[name] else { return }
        reports[row.index].statistics.countLateReply()
    }

    /// The row of the run, which is under way no longer; nil when the target is another by now.
    private mutating func end(_ run: Run) -> Row? {
        guard let row = rows[run.target.name], row.incarnation == run.incarnation else { return nil }
        rows[run.target.name]?.inFlight -= 1
        return row
    }

    /// Decides anew what each target may cost, and sets its turns accordingly: the first when the path is known.
    private mutating func plan(at now: Duration) {
        guard let context else { return }
        let intervals = reports.map { report in
            let decision = CostDecision(report.target, onExpensive: onExpensive, in: context)
            rows[report.target.name]?.decision = decision
            return (report.target.name, decision.interval(of: report.target))
        }
        schedule.update(intervals, at: now)
    }
}
