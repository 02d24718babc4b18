package import FoundationEssentials
import Statistics

/// Decides when a test runs by the schedule.
///
/// A due time ends in a run or in one counted skip, and the rhythm has the next. For two reasons it waits instead:
/// while the host is offline, and on a busy link (`BusyRule.defer`), which is checked every minute. A wait is counted
/// once, whatever falls due meanwhile.
///
/// The caller decides at `nextRun`, and whenever conditions change or the clock is set; it reports each start, also of
/// a requested test, and each end.
package struct SpeedTestScheduler: Sendable {
    private var schedule: SpeedTestSchedule
    private var longestGap: TimeInterval
    private var lastStart: Date?
    /// The last test has failed without a byte: it delays no requested one.
    private var lastIsUnused: Bool
    private var nominal: Date
    private var notBefore: Date?
    /// Why the due time waits; counted already.
    private var deferral: SkipReason?
    /// nil: a test has succeeded.
    private var first: FirstRuns?
    /// The planned gap, in seconds, where the budget stretches it beyond the rhythm's longest.
    package private(set) var stretchedGap: TimeInterval?
    /// The budget has made the planned gap longer, or may have.
    package private(set) var isStretched = false
    /// For `speedtest_next_run_timestamp_seconds`; windows are considered.
    package private(set) var nextRun: Date

    private static let retry: TimeInterval = 60
    /// The maximum of a server's Retry-After.
    private static let longestHold: TimeInterval = 86_400
    /// A clock change may move a due time beyond the longest gap by this.
    private static let clockChange: TimeInterval = 7200
    /// A budget is new each month.
    private static let longestStretch: TimeInterval = 366 * 86_400
    /// From a few on their number no longer changes the pause.
    private static let mostAttempts = 1000

    /// Continues a stored plan.
    ///
    /// - Parameters:
    ///   - schedule: When tests are due.
    ///   - memory: What an earlier process has stored.
    ///   - isFirst: No test has succeeded yet.
    ///   - firstDelay: From the first moment online to the first run, where no plan is stored; nil: the first run is
    ///     `minGap` and a part of the jitter after the start.
    ///   - now: The present time.
    ///   - random: The source of randomness.
    package init(
        schedule: SpeedTestSchedule,
        memory: Memory,
        isFirst: Bool = false,
        firstDelay: Duration? = nil,
        now: Date,
        using random: inout some RandomNumberGenerator
    ) {
        self.schedule = schedule
        longestGap = schedule.longestGap().seconds
        // The file may be damaged.
        let memory = memory.believed(at: now)
        lastStart = memory.lastStart
        lastIsUnused = memory.lastIsUnused ?? false
        notBefore = memory.notBefore
        nextRun = memory.nextRun ?? now
        nominal = memory.nominal ?? nextRun
        if isFirst { first = FirstRuns(attempts: min(max(memory.attempts ?? 0, 0), Self.mostAttempts)) }
        stretchedGap = memory.stretchedGap.flatMap { (0...Self.longestStretch).contains($0) ? $0 : nil }
        if memory.nextRun == nil, isFirst, let firstDelay {
            first?.delay = firstDelay.seconds
            nominal = now + firstDelay.seconds
            nextRun = nominal
        } else if memory.nextRun == nil {
            planFirst(now, using: &random)
        } else if let plan = memory.plan, plan != String(describing: schedule) {
            // The schedule has changed between two processes.
            nominal = lastStart ?? now
            self.plan(after: now, pace: BudgetPace(), using: &random)
        }
        correct(for: now, using: &random)
    }

    /// A test is due, or the first one is planned, as soon as the internet is reachable.
    package var waitsForNetwork: Bool { deferral == .offline || first?.delay != nil }

    /// The time of the first test, while none has succeeded; nil before the first moment online.
    package var firstRun: Date? { first != nil && first?.delay == nil && deferral == nil ? nextRun : nil }

    /// The state to store.
    package var memory: Memory {
        // A first run that is not planned yet is planned by the next process.
        var memory = Memory(lastStart: lastStart, nextRun: first?.delay == nil ? nextRun : nil)
        memory.attempts = first?.attempts
        memory.stretchedGap = stretchedGap
        memory.plan = String(describing: schedule)
        memory.nominal = nominal
        memory.notBefore = notBefore
        memory.lastIsUnused = lastIsUnused ? true : nil
        return memory
    }

    /// Applies a new schedule; the same one changes nothing, unless the budget, which may be new, stretches the gap.
    package mutating func apply(
        _ schedule: SpeedTestSchedule,
        pace: BudgetPace = BudgetPace(),
        now: Date,
        using random: inout some RandomNumberGenerator
    ) {
        guard schedule != self.schedule || stretchedGap != nil else { return }
        self.schedule = schedule
        longestGap = schedule.longestGap().seconds
        guard first?.delay == nil else { return }
        nominal = lastStart ?? now
        plan(after: now, pace: pace, using: &random)
    }

    /// What to do now.
    package mutating func decide(
        now: Date,
        conditions: SpeedTestConditions,
        using random: inout some RandomNumberGenerator
    ) -> SpeedTestDecision {
        correct(for: now, pace: conditions.pace, using: &random)
        if let delay = first?.delay {
            guard conditions.isOnline else {
                nextRun = now + max(delay, Self.retry)
                return .wait(until: nextRun)
            }
            first?.delay = nil
            nominal = now + delay
            nextRun = schedule.placed(nominal, using: &random)
        }
        guard now >= nextRun || deferral == .offline && conditions.isOnline else { return .wait(until: nextRun) }
        guard let reason = refusal(conditions, now: now) else { return .run(latencyOnly: conditions.isLatencyOnly) }
        let isCounted = deferral != nil
        if reason == .offline || reason == .busy && conditions.whenBusy == .defer {
            deferral = reason
            nextRun = now + Self.retry
        } else {
            if reason != .running { first?.attempts += 1 }
            plan(after: now, pace: conditions.pace, using: &random)
        }
        return isCounted ? .wait(until: nextRun) : .skip(reason)
    }

    /// A test has started, by the schedule or on request.
    ///
    /// What is planned here counts where the process is killed in the test: store it before the first byte.
    package mutating func started(
        at now: Date,
        pace: BudgetPace = BudgetPace(),
        using random: inout some RandomNumberGenerator
    ) {
        lastStart = now
        lastIsUnused = false
        notBefore = nil
        if first?.delay != nil { nominal = now }
        first?.delay = nil
        first?.attempts += 1
        plan(after: now, pace: pace, using: &random)
    }

    /// A test has ended: the next one is planned by what the budget then has.
    ///
    /// `isUnused`: it has moved no byte.
    package mutating func ended(
        at now: Date,
        hasSucceeded: Bool,
        isUnused: Bool = false,
        pace: BudgetPace = BudgetPace(),
        using random: inout some RandomNumberGenerator
    ) {
        if hasSucceeded { first = nil }
        lastIsUnused = isUnused && !hasSucceeded
        plan(after: now, pace: pace, using: &random)
    }

    /// A server's Retry-After: no scheduled run before that, for at most a day.
    package mutating func retryAfter(_ duration: Duration, now: Date) {
        let end = now + min(max(duration.seconds, 0), Self.longestHold)
        notBefore = max(notBefore ?? end, end)
        if nextRun < end { nextRun = schedule.opening(from: end) }
    }

    /// The seconds for which `minGap` still forbids a requested test; nil: it does not.
    ///
    /// A test that failed without a byte forbids none: the user repeats it after correcting the cause. A start by a clock
    /// that was ahead forbids none either.
    package func requestGap(at now: Date) -> TimeInterval? {
        guard let lastStart, !lastIsUnused, lastStart <= now else { return nil }
        let rest = schedule.minGap.seconds - now.timeIntervalSince(lastStart)
        return rest > 0 ? rest : nil
    }

    private func refusal(_ conditions: SpeedTestConditions, now: Date) -> SkipReason? {
        if conditions.isRunning { return .running }
        if !schedule.isOpen(at: now) { return .window }
        if let lastStart, now < lastStart + schedule.minGap.seconds { return .gap }
        return conditions.refusal?.skipReason ?? (conditions.isBusy && conditions.whenBusy != .run ? .busy : nil)
    }

    /// The first run without a stored plan: soon, so that there is a value, but not at once, so that a crash loop runs
    /// no tests.
    private mutating func planFirst(_ now: Date, using random: inout some RandomNumberGenerator) {
        let start = now + schedule.minGap.seconds
        nominal = start
        if case .cron(let cron) = schedule.rhythm { nominal = cron.next(after: start) ?? start + longestGap }
        nextRun = schedule.placed(nominal + schedule.delay(using: &random), using: &random)
    }

    private mutating func plan(
        after now: Date,
        pace: BudgetPace,
        using random: inout some RandomNumberGenerator
    ) {
        deferral = nil
        nominal = schedule.nominal(after: now, grid: nominal, pace: pace, using: &random) ?? now + longestGap
        let due = schedule.isDelayed ? nominal + schedule.delay(using: &random) : nominal
        let gap = due.timeIntervalSince(now)
        // The first test does not keep the rhythm.
        isStretched = first == nil && pace.stretches(schedule.meanGap)
        stretchedGap = gap > longestGap && pace.stretches(schedule.meanGap) ? gap : nil
        nextRun = schedule.placed(max(due, notBefore ?? due), using: &random)
        if let first { retry(first, now, using: &random) }
    }

    /// Plans the first test again, where that is sooner than the rhythm's next time; cron gives the times itself.
    private mutating func retry(_ first: FirstRuns, _ now: Date, using random: inout some RandomNumberGenerator) {
        if case .cron = schedule.rhythm { return }
        guard let pause = first.pause else { return }
        // A start by a wrong clock may be ahead of now.
        let gapEnd = lastStart.map { min($0, now) + schedule.minGap.seconds } ?? now
        // Exporters that a power cut has started together do not stay together.
        let due = max(now + pause, gapEnd, notBefore ?? now) + Double.random(in: 0...pause / 2, using: &random)
        nextRun = min(nextRun, schedule.placed(due, using: &random))
    }

    /// Removes times of a wrong clock; call it whenever the clock was set.
    package mutating func correct(
        for now: Date,
        pace: BudgetPace = BudgetPace(),
        using random: inout some RandomNumberGenerator
    ) {
        let minGap = schedule.minGap.seconds
        if let start = lastStart, start > now + minGap { lastStart = nil }
        if let end = notBefore, end > now + Self.longestHold { notBefore = nil }
        let hold = notBefore == nil ? 0 : Self.longestHold
        if deferral != nil {
            // It waits for the network or an idle link, which is checked every minute on any clock.
            nextRun = min(nextRun, now + Self.retry)
        } else if first?.delay != nil {
            // It is planned at the first moment online.
        } else if nextRun > now + max(longestGap, stretchedGap ?? 0) + minGap + hold + Self.clockChange {
            plan(after: now, pace: pace, using: &random)
        }
    }
}
