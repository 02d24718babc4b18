import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// The state of the speed tests and the decisions about them; pure but for the time zone.
struct SpeedTestState: Sendable {
    /// A time of the schedule at which no test began.
    struct Skip: Sendable, Equatable {
        var reason: SkipReason
        var at: Date
    }

    private(set) var section: SpeedTestSection
    /// What the contracts promise; the names of uplinks are there, too.
    var plans: Plans { didSet { if plans != oldValue { results.rename(plans) } } }
    /// Of the section, computed once.
    private var longestAge: Duration
    /// Of the schedule, computed once.
    private(set) var runsPerMonth: Double
    /// Those that were logged last.
    private var lastBytesPerMonth: UInt64 = 0
    private(set) var budget: BudgetAccount
    private(set) var counters = SpeedTestCounters()
    private(set) var results: SpeedTestResults
    private(set) var isRunning = false
    private(set) var running: Running?
    /// The last time of the schedule that began no test; nil after a test, and where none was skipped.
    private(set) var lastSkip: Skip?
    /// Whether the last write of budget and schedule succeeded.
    private var isStored = true
    /// Whether the file may have more than was read at the start: it is read again before anything is stored.
    private(set) var isProvisional: Bool
    /// The newest reports that are not stored yet, in the order in which the tests ran.
    private(set) var unstored: [SpeedTestReport] = []
    private var scheduler: SpeedTestScheduler
    /// A test that was requested outside of the schedule and begins soon.
    private var isRequested = false
    /// A test of the last round has moved more bytes than attempts to connect, which no server answers.
    private var hasMovedBytes = false
    private static let attempts: UInt64 = 2000
    private var random = SystemRandomNumberGenerator()

    init(section: SpeedTestSection, saved: SpeedTestHistory.Saved, plans: Plans = Plans(), now: Date) {
        (self.section, self.plans) = (section, plans)
        longestAge = section.staleAfter
        budget = saved.budget
        budget.ledger.settle(at: now)
        scheduler = SpeedTestScheduler(
            schedule: section.schedule,
            memory: saved.memory,
            isFirst: !saved.reports.contains { $0.failure == nil && !$0.isLatencyOnly },
            firstDelay: section.firstDelay(isKept: saved.isKept && !saved.isProvisional && saved.reports.isEmpty),
            now: now,
            using: &random
        )
        runsPerMonth = section.schedule.runsPerMonth(from: now)
        results = SpeedTestResults(saved.reports.map(plans.named), staleAfter: longestAge)
        isProvisional = saved.isProvisional
        // A process that was killed in a test may have used everything that was reserved.
        if let reserved = budget.reserved { settle(reserved, at: now) }
    }

    /// When something is to be decided; nil while nothing is scheduled, or the internet is neither known to be
    /// reachable nor not.
    func nextDecision(_ network: SpeedTestNetwork) -> Date? {
        guard section.isActive, network.isKnown || section.isLocal else { return nil }
        let isReachable = network.isOnline || section.isLocal
        return isRequested || scheduler.waitsForNetwork && isReachable ? .distantPast : scheduler.nextRun
    }

    mutating func apply(_ section: SpeedTestSection, _ network: SpeedTestNetwork, now: Date) {
        self.section = section
        longestAge = section.staleAfter
        runsPerMonth = section.schedule.runsPerMonth(from: now)
        scheduler.apply(section.schedule, pace: pace(network, now: now), now: now, using: &random)
        if !section.isActive { isRequested = false }
    }

    // MARK: Storing

    /// What is stored while tests run.
    var stored: SpeedTestHistory.State { (scheduler.memory, budget) }

    /// Forgets what a wrong clock has planned and charged ahead; true: there is something new to store.
    mutating func correct(_ network: SpeedTestNetwork, for now: Date) -> Bool {
        let before = stored
        budget.ledger.settle(at: now)
        scheduler.correct(for: now, pace: pace(network, now: now), using: &random)
        return before != stored
    }

    /// Notes whether a write succeeded; true: the one before had the other result.
    mutating func noteStored(_ isStored: Bool) -> Bool {
        defer { self.isStored = isStored }
        return self.isStored != isStored
    }

    /// Whether something is to be stored or read again as soon as that works.
    var isUnsettled: Bool { !isStored || isProvisional && section.isActive }

    /// Takes over what the file has, instead of what was read at the start; false where that was done already.
    ///
    /// No test has run before: its reservation would have been stored first. A corrupt file was begun anew: what was read
    /// of it at the start then stays.
    mutating func restore(_ saved: SpeedTestHistory.Saved, now: Date) -> Bool {
        guard isProvisional else { return false }
        isProvisional = false
        guard !saved.isEmpty else { return false }
        let restored = SpeedTestState(section: section, saved: saved, plans: plans, now: now)
        (budget, results, scheduler) = (restored.budget, restored.results, restored.scheduler)
        return true
    }

    /// The reports that the next write adds.
    mutating func takeUnstored() -> [SpeedTestReport] {
        defer { unstored = [] }
        return unstored
    }

    /// Keeps reports whose write has failed, before those that came meanwhile.
    mutating func keepUnstored(_ reports: [SpeedTestReport]) {
        unstored = (reports + unstored).suffix(Self.unstoredLimit)
    }

    private static let unstoredLimit = 500

    // MARK: Deciding

    /// What the schedule requires now; a skip is counted.
    mutating func decide(_ network: SpeedTestNetwork, now: Date) -> SpeedTestDecision {
        let decision = scheduler.decide(now: now, conditions: conditions(network, now: now), using: &random)
        switch decision {
        case .wait: break
        case .skip(let reason):
            skip(reason)
            lastSkip = Skip(reason: reason, at: now)
        case .run:
            isRunning = true
            // It serves a request that came meanwhile, too.
            isRequested = false
        }
        return decision
    }

    /// What forbids a test at this moment, apart from the schedule; counted.
    mutating func refuse(_ network: SpeedTestNetwork, now: Date) -> SpeedTestRefusal? {
        var conditions = conditions(network, now: now)
        conditions.isRunning = false
        let reason = conditions.refusal
        if let reason { skip(reason.skipReason) }
        return reason
    }

    /// Requests a test outside of the schedule; nil where it will begin.
    ///
    /// A reason that outlasts `min_gap` comes first. `canStore`: the bytes that the test would use can be stored first.
    mutating func request(_ network: SpeedTestNetwork, canStore: Bool = true, now: Date) -> SpeedTestRefusal? {
        var conditions = conditions(network, now: now)
        conditions.isRunning = isRunning || isRequested
        let gap: SpeedTestRefusal? = requestGap(at: now) == nil ? nil : .gap
        let reason = conditions.refusal ?? gap ?? (canStore ? nil : .storage)
        if let reason { skip(reason.skipReason) } else { isRequested = true }
        return reason
    }

    /// The seconds for which `min_gap` still forbids a requested test; nil: it does not.
    func requestGap(at now: Date) -> TimeInterval? { scheduler.requestGap(at: now) }

    /// Begins the test that was requested; nil where there is none, or where it is no longer allowed.
    mutating func takeRequest(_ network: SpeedTestNetwork, now: Date) -> SpeedTestDecision? {
        guard isRequested else { return nil }
        isRequested = false
        guard refuse(network, now: now) == nil else { return nil }
        isRunning = true
        return .run(latencyOnly: conditions(network, now: now).isLatencyOnly)
    }

    private mutating func skip(_ reason: SkipReason) { counters.skipped[reason, default: 0] += 1 }

    private func conditions(_ network: SpeedTestNetwork, now: Date) -> SpeedTestConditions {
        let known = values(on: network)
        var conditions = network.conditions(section)
        conditions.isRunning = isRunning
        conditions.remainingBytes = allowance(now: now)
        conditions.estimatedBytes = section.budget.estimate(lastRun: known?.cost(of: section.directions))
        conditions.pace = pace(network, now: now)
        conditions.isBusy = network.isBusy(speed: known?.rates ?? [:], ratio: section.busyRatio)
        return conditions
    }

    // MARK: Running

    mutating func begin(_ network: SpeedTestNetwork, now: Date) {
        (isRunning, lastSkip) = (true, nil)
        hasMovedBytes = false
        scheduler.started(at: now, pace: pace(network, now: now), using: &random)
    }

    /// Bytes that the test of one server may move: the rest of the budget, and never more than one run's.
    func allowance(now: Date) -> UInt64 { budget.ledger.remaining(section.budget, at: now).run }

    /// Notes the bytes that the running test may have used, which are stored next.
    mutating func reserve(_ bytes: UInt64) { budget.reserved = bytes }

    mutating func beginServer(_ account: TrafficAccount) {
        counters.runs += 1
        running = Running(progress: SpeedTestProgress(.connecting, fraction: 0), account: account)
    }

    /// The test of one server does not begin: its reservation could not be stored.
    mutating func refuseServer(at now: Date) {
        budget.reserved = nil
        skip(.storage)
        lastSkip = Skip(reason: .storage, at: now)
    }

    mutating func advance(_ progress: SpeedTestProgress, at now: ContinuousClock.Instant) {
        running?.advance(progress, at: now)
    }

    mutating func endServer(_ report: SpeedTestReport, now: Date) {
        running = nil
        counters.traffic += report.traffic
        if let reason = report.failure?.reason { counters.failures[reason, default: 0] += 1 }
        hasMovedBytes = hasMovedBytes || report.traffic.total > Self.attempts
        settle(report.traffic.total, at: now)
        results.add(report, staleAfter: staleAfter)
        keepUnstored(takeUnstored() + [report])
    }

    /// Counts what a round says about the plan.
    mutating func count(_ confirmation: PlanRule.Confirmation) {
        counters.confirmations[confirmation, default: 0] += 1
    }

    /// Ends the round over the servers and plans the next test with what the round has used.
    ///
    /// From here on a test can be requested, also while the plan is not stored yet.
    mutating func end(_ network: SpeedTestNetwork, hasSucceeded: Bool, now: Date) {
        isRunning = false
        scheduler.ended(
            at: now,
            hasSucceeded: hasSucceeded,
            isUnused: !hasMovedBytes,
            pace: pace(network, now: now),
            using: &random
        )
    }

    /// No scheduled test for so long, as the servers request.
    mutating func retryAfter(_ duration: Duration, now: Date) { scheduler.retryAfter(duration, now: now) }

    private mutating func settle(_ bytes: UInt64, at now: Date) {
        budget.ledger.charge(bytes, at: now)
        budget.reserved = nil
    }

    // MARK: Reading

    /// The age above which values are stale: twice the longest gap of the schedule, and of the budget's pace.
    var staleAfter: Duration { max(longestAge, .seconds((scheduler.stretchedGap ?? 0) * 2)) }

    /// When the first test is due, while none has succeeded; nil until the first moment online.
    var firstRun: Date? { section.isActive && !isRunning ? scheduler.firstRun : nil }

    /// The expected bytes of a month's tests where they differ from the last ones by more than tests vary; once.
    mutating func takeNewBytesPerMonth(_ network: SpeedTestNetwork) -> UInt64? {
        guard let bytes = bytesPerMonth(network) else { return nil }
        let ratio = Double(bytes) / Double(max(lastBytesPerMonth, 1))
        guard !(0.8...1.25).contains(ratio) else { return nil }
        lastBytesPerMonth = bytes
        return bytes
    }

    /// The time to the next test where the budget stretches the schedule's gaps; nil: it does not.
    func stretchedDelay(at now: Date) -> TimeInterval? {
        scheduler.isStretched ? nextRun.map { max(0, $0.timeIntervalSince(now)) } : nil
    }

    /// When the schedule has the next test; nil while none is configured.
    var nextRun: Date? { section.isActive ? scheduler.nextRun : nil }

    /// The results of the configured servers, in their order and by device, without values that are older than
    /// `drop_after`.
    func results(on uplink: String, at now: Date) -> [SpeedTestResults.Values] {
        section.servers.flatMap { results.devices(of: $0.name, on: uplink) }.map { values in
            section.dropAfter.map { values.dropping(before: now - $0.seconds) } ?? values
        }
    }
}
