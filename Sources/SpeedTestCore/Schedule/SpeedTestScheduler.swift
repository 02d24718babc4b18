package import FoundationEssentials
import Statistics

/// Decides when a test runs by the schedule.
///
/// A due time ends in a run or in one counted skip, and the rhythm has the next. For two reasons it waits instead:
/// while the host is offline, and on a busy link (`BusyRule.defer`), which is checked every minute. A wait is counted
/// once, whatever falls due meanwhile.
///
/// The caller decides at `nextRun`, and whenever conditions change or the clock is set; it reports each start, also of
/// a requested test.
package struct SpeedTestScheduler: Sendable {
    private var schedule: SpeedTestSchedule
    private var longestGap: TimeInterval
    private var lastStart: Date?
    private var nominal: Date
    private var notBefore: Date?
    /// Why the due time waits; counted already.
    private var deferral: SkipReason?
    /// For `speedtest_next_run_timestamp_seconds`; windows are considered.
    package private(set) var nextRun: Date

    private static let retry: TimeInterval = 60
    /// The maximum of a server's Retry-After.
    private static let longestHold: TimeInterval = 86_400
    /// A clock change may move a due time beyond the longest gap by this.
    private static let clockChange: TimeInterval = 7200

    /// Continues a stored plan; without one, the first run is `minGap` and a part of the jitter away.
    package init(
        schedule: SpeedTestSchedule,
        memory: Memory,
        now: Date,
        using random: inout some RandomNumberGenerator
    ) {
        self.schedule = schedule
        longestGap = schedule.longestGap().seconds
        lastStart = memory.lastStart
        notBefore = memory.notBefore
        nextRun = memory.nextRun ?? now
        nominal = memory.nominal ?? nextRun
        if memory.nextRun == nil {
            planFirst(now, using: &random)
        } else if let plan = memory.plan, plan != String(describing: schedule) {
            // The schedule has changed between two processes.
            nominal = lastStart ?? now
            self.plan(after: now, using: &random)
        }
        correct(for: now, using: &random)
    }

    /// A test is due and waits for the internet.
    package var waitsForNetwork: Bool { deferral == .offline }

    /// The state to store.
    package var memory: Memory {
        var memory = Memory(lastStart: lastStart, nextRun: nextRun)
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
        longestGap = schedule.longestGap().seconds
        nominal = lastStart ?? now
        plan(after: now, using: &random)
    }

    /// What to do now.
    package mutating func decide(
        now: Date,
        conditions: SpeedTestConditions,
        using random: inout some RandomNumberGenerator
    ) -> SpeedTestDecision {
        correct(for: now, using: &random)
        guard now >= nextRun || deferral == .offline && conditions.isOnline else { return .wait(until: nextRun) }
        guard let reason = refusal(conditions, now: now) else { return .run(latencyOnly: conditions.isLatencyOnly) }
        let isCounted = deferral != nil
        if reason == .offline || reason == .busy && conditions.whenBusy == .defer {
            deferral = reason
            nextRun = now + Self.retry
        } else {
            plan(after: now, using: &random)
        }
        return isCounted ? .wait(until: nextRun) : .skip(reason)
    }

    /// A test has started, by the schedule or on request.
    package mutating func started(at now: Date, using random: inout some RandomNumberGenerator) {
        lastStart = now
        notBefore = nil
        plan(after: now, using: &random)
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
        nominal = schedule.nominal(after: now, grid: nominal, using: &random) ?? now + longestGap
        let due = schedule.isDelayed ? nominal + schedule.delay(using: &random) : nominal
        nextRun = schedule.placed(max(due, notBefore ?? due), using: &random)
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
        } else if nextRun > now + longestGap + minGap + hold + Self.clockChange {
            plan(after: now, using: &random)
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

        /// The schedule as text; another one is planned anew.
        package var plan: String?

        package init(lastStart: Date? = nil, nextRun: Date? = nil) {
            self.lastStart = lastStart
            self.nextRun = nextRun
        }
    }
}
