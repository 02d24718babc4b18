import FoundationEssentials
import HTTPTransfer
import NetworkHealth
import Probing
import SpeedTestCore
import Statistics

/// A test that somebody asked for, outside of the schedule.
struct SpeedTestRequest: Sendable, Equatable {
    var isLatencyOnly: Bool
}

/// What is known of speed tests, and what is decided from it; pure but for the time zone.
struct SpeedTestState: Sendable {
    /// A test under way.
    struct Running: Sendable {
        var progress: SpeedTestProgress
        var account: TrafficAccount
    }

    private(set) var section: SpeedTestSection
    /// Twice the longest time between two runs; looked for once, since that takes a walk over the years.
    private(set) var staleAfter: Duration
    private(set) var books: SpeedTestBooks
    private(set) var counters = SpeedTestCounters()
    private(set) var lastRecord: SpeedTestRecord?
    private(set) var isRunning = false
    private(set) var running: Running?
    /// Whether the last write of books and schedule succeeded.
    private var isStored = true
    private var scheduler: SpeedTestScheduler
    private var results: [String: ServerResults] = [:]
    /// What the last whole test moved, by uplink.
    private var cost: [String: UInt64] = [:]
    /// The last good value of each direction, by uplink; bytes a second.
    private var speed: [String: [Direction: Double]] = [:]
    /// Somebody asked for a test, which begins soon.
    private var request: SpeedTestRequest?
    private var random = SystemRandomNumberGenerator()

    init(section: SpeedTestSection, saved: SpeedTestHistory.Saved, now: Date) {
        self.section = section
        staleAfter = section.schedule.longestGap() * 2
        books = saved.books
        books.ledger.settle(at: now)
        scheduler = SpeedTestScheduler(schedule: section.schedule, memory: saved.memory, now: now, using: &random)
        for record in saved.records { remember(record) }
        // A process that was killed in a test has used what it was lent, for all that anybody knows.
        if let lent = books.lent { settle(lent, at: now) }
    }

    var memory: SpeedTestScheduler.Memory { scheduler.memory }

    /// When something is to be decided; nil while nothing is scheduled, or while nobody knows whether there is an internet.
    func nextDecision(_ surroundings: SpeedTestSurroundings) -> Date? {
        guard section.isActive, surroundings.isKnown || section.isLocal else { return nil }
        let isAtOnce = request != nil || scheduler.waitsForNetwork && surroundings.isOnline
        return isAtOnce ? .distantPast : scheduler.nextRun
    }

    mutating func apply(_ section: SpeedTestSection, now: Date) {
        self.section = section
        staleAfter = section.schedule.longestGap() * 2
        scheduler.apply(section.schedule, now: now, using: &random)
        if !section.isActive { request = nil }
    }

    // MARK: Keeping

    /// Forgets what a wrong clock has planned and booked ahead; true: there is something new to store.
    mutating func correct(for now: Date) -> Bool {
        let before = (memory, books)
        scheduler.correct(for: now, using: &random)
        books.ledger.settle(at: now)
        return before != (memory, books)
    }

    /// Notes whether a write succeeded; true: the one before had the other result.
    mutating func noteStored(_ isStored: Bool) -> Bool {
        defer { self.isStored = isStored }
        return self.isStored != isStored
    }

    // MARK: Deciding

    /// What the schedule says now; a skip is counted.
    mutating func decide(_ surroundings: SpeedTestSurroundings, now: Date) -> SpeedTestDecision {
        let decision = scheduler.decide(now: now, conditions: conditions(surroundings, now: now), using: &random)
        switch decision {
        case .wait: break
        case .skip(let reason): counters.skipped[reason, default: 0] += 1
        case .run:
            isRunning = true
            // It is what somebody asked for meanwhile, too.
            request = nil
        }
        return decision
    }

    /// What forbids a test at this moment, apart from the schedule; counted.
    mutating func refuse(_ surroundings: SpeedTestSurroundings, now: Date) -> SkipReason? {
        var conditions = conditions(surroundings, now: now)
        conditions.isRunning = false
        let reason = SpeedTestScheduler.gate(manual: conditions)
        if let reason { counters.skipped[reason, default: 0] += 1 }
        return reason
    }

    /// Asks for a test outside of the schedule; nil where it will begin.
    ///
    /// `canStore`: what the test would use can be written down first.
    mutating func request(_ surroundings: SpeedTestSurroundings, canStore: Bool = true, now: Date) -> SkipReason? {
        var conditions = conditions(surroundings, now: now)
        conditions.isRunning = isRunning || request != nil
        if let reason = SpeedTestScheduler.gate(manual: conditions) ?? (canStore ? nil : .storage) {
            counters.skipped[reason, default: 0] += 1
            return reason
        }
        request = SpeedTestRequest(isLatencyOnly: conditions.isLatencyOnly)
        return nil
    }

    /// What somebody asked for since the last time, if that still may be.
    mutating func takeRequest(_ surroundings: SpeedTestSurroundings, now: Date) -> SpeedTestRequest? {
        guard let request = request.take(), refuse(surroundings, now: now) == nil else { return nil }
        isRunning = true
        return request
    }

    private func conditions(_ surroundings: SpeedTestSurroundings, now: Date) -> SpeedTestConditions {
        var conditions = surroundings.conditions(section)
        conditions.isRunning = isRunning
        let remaining = books.ledger.remaining(section.budget, at: now)
        conditions.remainingBytes = remaining.run
        let uplink = section.isLocal ? Uplink.none : surroundings.uplink
        conditions.estimatedBytes = section.budget.estimate(lastRun: cost[uplink])
        conditions.isBusy = surroundings.isBusy(speed: speed[uplink] ?? [:], ratio: section.busyRatio)
        return conditions
    }

    // MARK: Running

    /// Notes the start; what may be used is written down as lent.
    mutating func begin(now: Date) {
        isRunning = true
        scheduler.started(at: now, using: &random)
    }

    /// What one server's test may move: the budget's rest, and never more than one run's.
    func allowance(now: Date) -> UInt64 { books.ledger.remaining(section.budget, at: now).run }

    mutating func beginServer(_ account: TrafficAccount) {
        counters.runs += 1
        running = Running(progress: SpeedTestProgress(.connecting, fraction: 0), account: account)
    }

    /// One server's test does not begin: what it was lent could not be written down.
    mutating func refuseServer() {
        books.lent = nil
        counters.skipped[.storage, default: 0] += 1
    }

    /// The fastest that this uplink was seen to be, bytes a second; nil where it was not measured.
    func speed(of uplink: String) -> Double? { speed[uplink]?.values.max() }

    mutating func lend(_ bytes: UInt64) { books.lent = bytes }

    mutating func advance(_ progress: SpeedTestProgress) { running?.progress = progress }

    mutating func endServer(_ record: SpeedTestRecord, now: Date) {
        running = nil
        counters.traffic.received &+= record.traffic.received
        counters.traffic.transmitted &+= record.traffic.transmitted
        if let reason = record.failure { counters.failures[reason, default: 0] += 1 }
        settle(record.traffic.total, at: now)
        remember(record)
    }

    mutating func end() { isRunning = false }

    /// The servers want to be left alone for so long.
    mutating func retryAfter(_ duration: Duration, now: Date) { scheduler.retryAfter(duration, now: now) }

    private mutating func settle(_ bytes: UInt64, at now: Date) {
        books.ledger.charge(bytes, at: now)
        books.lent = nil
    }

    private mutating func remember(_ record: SpeedTestRecord) {
        lastRecord = record
        let server = record.document.server
        if results[server] == nil { results[server] = ServerResults(record) } else { results[server]?.add(record) }
        for direction in Direction.allCases {
            if let rate = record.document[direction]?.bytesPerSecond {
                speed[record.uplink, default: [:]][direction] = rate
            }
        }
        if record.failure == nil, !record.isLatencyOnly { cost[record.uplink] = record.traffic.total }
    }

    // MARK: Telling

    /// When the schedule has the next test; nil while none is configured.
    var nextRun: Date? { section.isActive ? scheduler.nextRun : nil }

    /// What tests have moved since the start, the running one included.
    var traffic: TrafficAccount.Bytes {
        var traffic = counters.traffic
        let bytes = running?.account.bytes ?? TrafficAccount.Bytes()
        traffic.received &+= bytes.received
        traffic.transmitted &+= bytes.transmitted
        return traffic
    }

    /// nil while no test is configured.
    func facts(now: Date) -> SpeedTestFacts? {
        guard section.isActive else { return nil }
        let remaining = books.ledger.remaining(section.budget, at: now)
        let lent = books.lent ?? 0
        func rest(_ bytes: UInt64) -> UInt64 { bytes - min(bytes, lent) }
        return SpeedTestFacts(
            servers: section.servers.map { server in
                let last = results[server.name]?.last.document
                return SpeedTestFacts.Server(
                    name: server.name,
                    dialect: server.dialect.rawValue,
                    host: WebURL(server.url, schemes: WebURL.webSchemes)?.authority ?? "",
                    congestionControl: results[server.name]?.transfers[.download]?.value.congestionControl
                        ?? last?.upload?.congestionControl ?? server.congestionControl ?? ""
                )
            },
            isRunning: isRunning,
            staleAfter: staleAfter.seconds,
            nextRun: scheduler.nextRun,
            results: section.servers.compactMap { server in
                results[server.name].map { results in
                    let kept = section.dropAfter.map { results.dropping(before: now - $0.seconds) }
                    return SpeedTestFacts.Results(server: server.name, results: kept ?? results)
                }
            },
            counters: counters,
            traffic: traffic,
            budget: SpeedTestFacts.BudgetBytes(
                run: section.budget.perRun,
                day: section.budget.perDay,
                month: section.budget.perMonth
            ),
            remaining: SpeedTestFacts.BudgetBytes(
                run: remaining.run,
                day: rest(remaining.day),
                month: rest(remaining.month)
            )
        )
    }
}
