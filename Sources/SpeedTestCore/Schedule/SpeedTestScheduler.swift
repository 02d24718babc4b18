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
///
/// Until a test has succeeded, one that was refused or has failed is tried again after minutes, and each time after
/// twice as long, where that is sooner than the rhythm's next time; cron gives the times itself.
package struct SpeedTestScheduler: Sendable {
    private var schedule: SpeedTestSchedule
    private var longestGap: TimeInterval
    private var meanGap: TimeInterval
    private var lastStart: Date?
    private var nominal: Date
    private var notBefore: Date?
    /// Why the due time waits; counted already.
    private var deferral: SkipReason?
    /// The first run is due so many seconds after the first moment online, which has not come yet.
    private var firstDelay: TimeInterval?
    /// First tests that were refused or have failed; nil: one has succeeded.
    private var attempts: Int?
    /// How often the budget allows a run, as it was last reported.
    private var pace = BudgetPace()
    /// The planned gap where it is longer than the rhythm's longest, since the budget stretches it.
    package private(set) var stretchedGap: TimeInterval?
    /// For `speedtest_next_run_timestamp_seconds`; windows are considered.
    package private(set) var nextRun: Date

    private static let retry: TimeInterval = 60
    /// From the first refusal or failure of the first test to the next attempt; doubled each time.
    private static let firstRetry: TimeInterval = 300
    /// The maximum of a server's Retry-After.
    private static let longestHold: TimeInterval = 86_400
    /// A clock change may move a due time beyond the longest gap by this.
    private static let clockChange: TimeInterval = 7200

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
        (longestGap, meanGap) = (schedule.longestGap().seconds, schedule.meanGap)
        lastStart = memory.lastStart
        notBefore = memory.notBefore
        nextRun = memory.nextRun ?? now
        nominal = memory.nominal ?? nextRun
        attempts = isFirst ? memory.attempts ?? 0 : nil
        stretchedGap = memory.stretchedGap
        if memory.nextRun == nil, let firstDelay {
            self.firstDelay = firstDelay.seconds
            nominal = now + firstDelay.seconds
            nextRun = nominal
        } else if memory.nextRun == nil {
            planFirst(now, using: &random)
        } else if let plan = memory.plan, plan != String(describing: schedule) {
            // The schedule has changed between two processes.
            nominal = lastStart ?? now
            self.plan(after: now, using: &random)
        }
        correct(for: now, using: &random)
    }

    /// A test is due, or the first one is planned, as soon as the internet is reachable.
    package var waitsForNetwork: Bool { deferral == .offline || firstDelay != nil }

    /// The time of the first test, while none has succeeded; nil before the first moment online.
    package var firstRun: Date? { attempts != nil && firstDelay == nil && deferral == nil ? nextRun : nil }

    /// The state to store.
    package var memory: Memory {
        // A first run that is not planned yet is planned by the next process.
        var memory = Memory(lastStart: lastStart, nextRun: firstDelay == nil ? nextRun : nil)
        memory.attempts = attempts.flatMap { $0 > 0 ? $0 : nil }
        memory.stretchedGap = stretchedGap
        memory.plan = String(describing: schedule)
        memory.nominal = nominal
        memory.notBefore = notBefore
        return memory
    }

    /// Applies a new schedule; the same one changes nothing.
    package mutating func apply(
        _ schedule: SpeedTestSchedule,
        now: Date,
        using random: inout some RandomNumberGenerator
    ) {
        guard schedule != self.schedule else { return }
        self.schedule = schedule
        (longestGap, meanGap) = (schedule.longestGap().seconds, schedule.meanGap)
        guard firstDelay == nil else { return }
        nominal = lastStart ?? now
        plan(after: now, using: &random)
    }

    /// What to do now.
    package mutating func decide(
        now: Date,
        conditions: SpeedTestConditions,
        using random: inout some RandomNumberGenerator
    ) -> SpeedTestDecision {
        pace = conditions.pace
        correct(for: now, using: &random)
        if let delay = firstDelay {
            guard conditions.isOnline else {
                nextRun = now + max(delay, Self.retry)
                return .wait(until: nextRun)
            }
            firstDelay = nil
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
            plan(after: now, using: &random)
            if reason != .running { retryFirst(now, using: &random) }
        }
        return isCounted ? .wait(until: nextRun) : .skip(reason)
    }

    /// A test has started, by the schedule or on request.
    ///
    /// The plan until its end: a process that is killed in the first test does not repeat it soon.
    package mutating func started(
        at now: Date,
        pace: BudgetPace = BudgetPace(),
        using random: inout some RandomNumberGenerator
    ) {
        lastStart = now
        notBefore = nil
        if firstDelay != nil { nominal = now }
        firstDelay = nil
        self.pace = pace
        plan(after: now, using: &random)
    }

    /// A test has ended; the pace follows from what it has used.
    package mutating func ended(
        at now: Date,
        hasSucceeded: Bool,
        pace: BudgetPace = BudgetPace(),
        using random: inout some RandomNumberGenerator
    ) {
        let isStretched = self.pace.stretches(meanGap) || pace.stretches(meanGap)
        if isStretched, pace != self.pace {
            self.pace = pace
            plan(after: now, using: &random)
        }
        if hasSucceeded { attempts = nil } else { retryFirst(now, using: &random) }
    }

    /// A server's Retry-After: no scheduled run before that, for at most a day.
    package mutating func retryAfter(_ duration: Duration, now: Date) {
        let end = now + min(max(duration.seconds, 0), Self.longestHold)
        notBefore = max(notBefore ?? end, end)
        if nextRun < end { nextRun = schedule.opening(from: end) }
    }

    /// Why a requested test may not run; nil: it may.
    ///
    /// Rhythm, windows, `min_gap` and a busy link do not apply to it. The rules for expensive and constrained paths do:
    /// `isLatencyOnly` is true where only the latency may be measured.
    package static func gate(manual conditions: SpeedTestConditions) -> SpeedTestRefusal? { conditions.refusal }

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

    private mutating func plan(after now: Date, using random: inout some RandomNumberGenerator) {
        deferral = nil
        nominal =
            schedule.nominal(after: now, grid: nominal, pace: pace.meanGap, using: &random) ?? now + longestGap
        var due = schedule.isDelayed ? nominal + schedule.delay(using: &random) : nominal
        if let earliest = pace.earliest, due < earliest { due = earliest + schedule.delay(using: &random) }
        let gap = due.timeIntervalSince(now)
        stretchedGap = pace.stretches(meanGap) && gap > longestGap ? gap : nil
        nextRun = schedule.placed(max(due, notBefore ?? due), using: &random)
    }

    /// Plans the first test again, minutes after it was refused or has failed, where that is sooner.
    private mutating func retryFirst(_ now: Date, using random: inout some RandomNumberGenerator) {
        if case .cron = schedule.rhythm { return }
        guard let attempts else { return }
        self.attempts = attempts + 1
        let delay = Self.firstRetry * Double(1 << min(max(attempts, 0), 10))
        let earliest = max(now, lastStart.map { $0 + schedule.minGap.seconds } ?? now, notBefore ?? now)
        // Exporters that a power cut has started together do not stay together.
        let due = max(now + delay, earliest) + Double.random(in: 0...delay / 2, using: &random)
        let time = schedule.placed(due, using: &random)
        if time < nextRun { nextRun = time }
    }

    /// Removes times of a wrong clock; call it whenever the clock was set.
    package mutating func correct(for now: Date, using random: inout some RandomNumberGenerator) {
        let minGap = schedule.minGap.seconds
        if let start = lastStart, start > now + minGap { lastStart = nil }
        if let end = notBefore, end > now + Self.longestHold { notBefore = nil }
        let hold = notBefore == nil ? 0 : Self.longestHold
        if deferral != nil {
            // It waits for the network or an idle link, which is checked every minute on any clock.
            nextRun = min(nextRun, now + Self.retry)
        } else if firstDelay != nil {
            // It is planned anew at the first moment online.
        } else if nextRun > now + max(longestGap, stretchedGap ?? 0) + minGap + hold + Self.clockChange {
            plan(after: now, using: &random)
            retryFirst(now, using: &random)
        }
    }
}

extension SpeedTestScheduler {
    /// What outlives the process: stored after each change, and at a start before the test's first byte.
    package struct Memory: Sendable, Equatable, Codable {
        package var lastStart: Date?
        package var nextRun: Date?
        /// The time of the next run by the rhythm alone: an interval continues from it.
        package var nominal: Date?
        /// The end of a server's Retry-After.
        package var notBefore: Date?

        /// First tests that were refused or have failed.
        package var attempts: Int?
        /// The planned gap where the budget stretches it.
        package var stretchedGap: TimeInterval?

        /// The schedule as text; another one is planned anew.
        package var plan: String?

        package init(lastStart: Date? = nil, nextRun: Date? = nil) {
            self.lastStart = lastStart
            self.nextRun = nextRun
        }
    }
}
