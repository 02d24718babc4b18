package import FoundationEssentials
import Statistics

/// Decides when a test runs by itself.
///
/// A due time ends in a run or in one counted skip, and the rhythm gives the next. Two reasons wait instead: without an
/// internet (until it is there again) and on a busy link (`BusyRule.defer`), looked at every minute; the wait is counted
/// once, and takes in whatever falls due meanwhile.
///
/// The shell asks at `nextRun`, and whenever conditions change or the clock is set; it reports each start, also one that
/// somebody asked for.
package struct SpeedTestScheduler: Sendable {
    private var schedule: SpeedTestSchedule
    private var longestGap: TimeInterval
    private var lastStart: Date?
    private var nominal: Date
    private var notBefore: Date?
    /// Counted already; why the due time still waits.
    private var deferral: SkipReason?
    /// For `speedtest_next_run_timestamp_seconds`; windows are in it.
    package private(set) var nextRun: Date

    private static let retry: TimeInterval = 60
    /// No server can silence us for longer.
    private static let longestHold: TimeInterval = 86_400
    /// A due time may be further away than the longest gap by a change of the clocks.
    private static let clockChange: TimeInterval = 7200

    /// Goes on with what was planned before; without that, the first run is `minGap` and some of the jitter away.
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
            // Of another schedule, which was changed between two processes.
            nominal = lastStart ?? now
            self.plan(after: now, using: &random)
        }
        correct(for: now, using: &random)
    }

    /// A test is due and waits for an internet.
    package var waitsForNetwork: Bool { deferral == .offline }

    /// What to store.
    package var memory: Memory {
        var memory = Memory(lastStart: lastStart, nextRun: nextRun)
        memory.plan = String(describing: schedule)
        memory.nominal = nominal
        memory.notBefore = notBefore
        return memory
    }

    /// Takes over what a reload has changed; the same schedule changes nothing.
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

    /// A test has started, on time or because somebody asked for it.
    package mutating func started(at now: Date, using random: inout some RandomNumberGenerator) {
        lastStart = now
        notBefore = nil
        plan(after: now, using: &random)
    }

    /// A server's Retry-After: no scheduled run before that, a day at most.
    package mutating func retryAfter(_ duration: Duration, now: Date) {
        let end = now + min(max(duration.seconds, 0), Self.longestHold)
        notBefore = max(notBefore ?? end, end)
        if nextRun < end { nextRun = schedule.opening(from: end) }
    }

    /// Whether a test that somebody asks for may run; nil: it may.
    ///
    /// Such a one knows no rhythm, window, `min_gap` or busy link. A path that costs holds it as it holds the others:
    /// `isLatencyOnly` tells when only the latency may be measured.
    package static func gate(manual conditions: SpeedTestConditions) -> SkipReason? { conditions.refusal }

    private func refusal(_ conditions: SpeedTestConditions, now: Date) -> SkipReason? {
        if conditions.isRunning { return .running }
        if !schedule.isOpen(at: now) { return .window }
        if let lastStart, now < lastStart + schedule.minGap.seconds { return .gap }
        return conditions.refusal ?? (conditions.isBusy && conditions.whenBusy != .run ? .busy : nil)
    }

    /// The first run, where none is known: soon, so that there is a value, but a crash loop is no test loop.
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

    /// Forgets what a clock that was wrong, or is now, has left behind; call it whenever the clock was set.
    package mutating func correct(for now: Date, using random: inout some RandomNumberGenerator) {
        let minGap = schedule.minGap.seconds
        if let start = lastStart, start > now + minGap { lastStart = nil }
        if let end = notBefore, end > now + Self.longestHold { notBefore = nil }
        let hold = notBefore == nil ? 0 : Self.longestHold
        if deferral != nil {
            // It waits for the network or a calm link, and is looked at each minute by any clock.
            nextRun = min(nextRun, now + Self.retry)
        } else if nextRun > now + longestGap + minGap + hold + Self.clockChange {
            plan(after: now, using: &random)
        }
    }
}

extension SpeedTestScheduler {
    /// What outlives the process: stored after each change, a start before the test's first byte.
    package struct Memory: Sendable, Equatable, Codable {
        package var lastStart: Date?
        package var nextRun: Date?
        /// The rhythm's own time for the next run: the grid that an interval goes on with.
        package var nominal: Date?
        /// A server asked not to be asked before.
        package var notBefore: Date?

        /// The schedule that this belongs to, in words; another one plans anew.
        package var plan: String?

        package init(lastStart: Date? = nil, nextRun: Date? = nil) {
            self.lastStart = lastStart
            self.nextRun = nextRun
        }
    }
}
