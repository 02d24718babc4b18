import Coordination
import FoundationEssentials
import Logging
import NetworkHealth
import Probing
import Statistics
import Storage

/// Collects the rows of the history and writes them: a transition and a gap at once, together with all rows that wait.
///
/// Rows that cannot be written wait for the next time, up to a limit.
final class HistoryRecorder: Sendable {
    private struct State {
        var reader = LatencyReader()
        var minutes = MinuteAggregator()
        var points = PointAggregator()
        var meter = UptimeMeter()
        var last: HealthState?
        var waiting = HistoryBacklog()
        /// On its way to the disk; nil while nothing is.
        var writing: HistoryBacklog?
        var isFailing = false
        /// The ongoing outages of standbys, by their names.
        var uplinkOutages: [String: UplinkOutage] = [:]
        /// Whether one has begun that is in no write.
        var hasBegun = false
        /// The newest hours as the file has them; nil before the first transaction.
        var stored: HourlyUptime?

        func ongoing(_ now: Moment) -> OutageRow? {
            last.flatMap { $0.outage?.isOngoing == true ? OutageRow($0, at: now) : nil }
        }

        func ongoingUplinks(_ now: Moment) -> [UplinkOutageRow] {
            uplinkOutages.sorted { $0.key < $1.key }.map {
                UplinkOutageRow($0.value, at: now.instant, date: now.date)
            }
        }

        var backlog: HistoryBacklog {
            var backlog = writing ?? HistoryBacklog()
            backlog.append(waiting)
            return backlog
        }
    }

    /// A time by both clocks.
    typealias Moment = (instant: SuspendingClock.Instant, date: Date)

    let database: Database
    private let logger: Logger
    private let now: @Sendable () -> Moment
    private let state = Locked(State())
    private let readFailures = Locked(LogThrottle())
    private let stopwatch = Stopwatch(.suspending)

    /// - Parameters:
    ///   - database: where the rows go.
    ///   - interrupted: what completes the history of the last process.
    ///   - logger: receives the failures to write and to read.
    ///   - now: the current time, of which an ongoing outage is a part.
    init(
        database: Database,
        interrupted: HistoryBacklog = HistoryBacklog(),
        logger: Logger,
        now: @escaping @Sendable () -> Moment = { (.now, .now) }
    ) {
        self.database = database
        self.logger = logger
        self.now = now
        state.withLock { $0.waiting = interrupted }
    }

    /// The rows that may not be on the disk yet, the oldest first.
    var backlog: HistoryBacklog { state.withLock { $0.backlog } }

    /// The outages that may not be on the disk yet, the oldest first: those that have ended, then the ongoing one.
    ///
    /// - Parameter current: a state that this may not have received yet; nil: the last that it has received.
    /// - Returns: their rows.
    func outages(in current: HealthState? = nil) -> [OutageRow] {
        state.withLock { state in
            let isAhead = current?.isAhead(of: state.last) == true
            let newest = isAhead ? current.flatMap { OutageRow($0, at: now()) } : state.ongoing(now())
            return state.backlog.transitions.compactMap(OutageRow.init) + [newest].compactMap(\.self)
        }
    }

    /// The same of standbys.
    var uplinkOutages: [UplinkOutageRow] {
        state.withLock { $0.backlog.uplinkOutages + $0.ongoingUplinks(now()) }
    }

    /// The rows of a table from a time in seconds since 1970 on, with those that wait to be written.
    func pages<Table: HistorySelection>(
        _ table: Table.Type,
        since time: Double,
        waiting: @escaping @Sendable (HistoryRecorder) -> [Table.Row]
    ) async throws -> HistoryPages<Table> {
        try await HistoryPages(table, of: database, since: time) { [self] in waiting(self) }
    }

    /// The uptime of a range of hours since 1970, with what waits to be written.
    func uptime(_ range: ClosedRange<Int64>) async throws -> HourlyUptime {
        try await database.read { [self] transaction in
            var hours = try UptimeHistory.hours(range, in: transaction)
            // On the thread that writes: what waits is not in the table, and what it has written no longer waits.
            hours.add(backlog.hours)
            return hours
        }
    }

    /// The last outages, the newest first; an ongoing one is the first.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - current: a state that this may not have received yet; nil: the last that it has received.
    /// - Returns: their rows.
    /// - Throws: where the database cannot be read.
    func lastOutages(_ limit: Int, in current: HealthState? = nil) async throws -> [OutageRow] {
        try await database.read { [self] transaction in
            let stored = try OutageHistory.last(limit, in: transaction)
            let waiting = outages(in: current).reversed().filter { !stored.contains($0) }
            return Array((waiting + stored).prefix(limit))
        }
    }

    /// Records a state; a transition, a gap and the place of the ongoing outage are on the disk when this returns, with the time that was
    /// monitored until then, unless they cannot be written.
    func receive(_ new: HealthState, counted outages: OutageTracker? = nil) async {
        let isNew = state.withLock { state in
            defer { state.last = new }
            let transitions = [Transition(from: state.last, to: new)].compactMap(\.self)
            let gaps = [new.gap == state.last?.gap ? nil : new.gap].compactMap(\.self)
            let rows = HistoryBacklog(transitions: transitions, gaps: gaps)
            state.waiting.append(rows)
            // The place of the ongoing outage, for the next process if this one ends in it.
            let isLocated = new.outage?.isOngoing == true && new.outage?.location != state.last?.outage?.location
            return !rows.isEmpty || isLocated
        }
        guard isNew else { return }
        let now = now()
        count(outages, at: now.instant, time: now.date.timeIntervalSince1970)
        await flush()
    }

    /// Records outages of standbys that have begun or ended; they are on the disk when this returns, unless they cannot be written.
    func receive(_ outages: [UplinkOutage]) async {
        guard !outages.isEmpty else { return }
        let now = now()
        state.withLock { state in
            for outage in outages {
                let isOngoing = outage.outage.isOngoing
                state.uplinkOutages[outage.uplink] = isOngoing ? outage : nil
                if isOngoing {
                    state.hasBegun = true
                } else {
                    let row = UplinkOutageRow(outage, at: now.instant, date: now.date)
                    state.waiting.append(HistoryBacklog(uplinkOutages: [row]))
                }
            }
        }
        await flush()
    }

    /// Records the measurements since the last call; their rows wait for a `flush`.
    ///
    /// - Parameters:
    ///   - sources: all of them, whether they have new measurements or not.
    ///   - time: of the row, in seconds since 1970.
    ///   - now: the same time: what was measured later waits for the next call.
    func sample(_ sources: LatencySources, at time: Double, now: OutcomeWindow.Instant = .now) {
        state.withLock { state in
            let samples = state.reader.samples(of: sources, at: now)
            guard let row = state.minutes.add(samples, at: time) else { return }
            state.waiting.append(HistoryBacklog(minutes: [row]))
        }
    }

    /// Records the probes of the points on the way since the last call, those of an outage left out; their rows wait for a `flush`.
    ///
    /// - Parameters:
    ///   - points: all of them.
    ///   - time: of the row, in seconds since 1970.
    ///   - end: the same time: what was probed later waits for the next call.
    ///   - now: the present.
    func sample(
        _ points: [PointWindow],
        at time: Double,
        until end: OutcomeWindow.Instant,
        now: OutcomeWindow.Instant = .now
    ) {
        state.withLock { state in
            let isOffline = state.last?.outage?.isOngoing == true
            let rows = state.points.add(points, at: time, until: end, now: now, isOffline: isOffline)
            state.waiting.append(HistoryBacklog(points: rows))
        }
    }

    /// Records the time that was monitored since the last call; it waits for a `flush`.
    ///
    /// - Parameters:
    ///   - outages: nil before the first state.
    ///   - now: by the clock of `outages`.
    ///   - time: the same instant, in seconds since 1970.
    func count(_ outages: OutageTracker?, at now: SuspendingClock.Instant = .now, time: Double) {
        guard let outages else { return }
        state.withLock { $0.waiting.append(HistoryBacklog(hours: $0.meter.take(outages, at: now, time: time))) }
    }

    /// What a kill would lose of the uptime.
    ///
    /// - Parameters:
    ///   - outages: nil before the first state.
    ///   - now: by the clock of `outages`.
    ///   - time: the same instant, in seconds since 1970.
    /// - Returns: nil where it follows from no transaction, or a row of a transition waits to be written.
    func tail(_ outages: OutageTracker?, at now: SuspendingClock.Instant = .now, time: Double) -> UptimeTail? {
        count(outages, at: now, time: time)
        return state.withLock { state in
            let waits = state.writing != nil || !state.waiting.transitions.isEmpty || !state.waiting.gaps.isEmpty
            guard let stored = state.stored, !waits, state.last?.outage == outages?.latest else { return nil }
            return UptimeTail(state.waiting.hours, after: stored)
        }
    }

    /// Logs that rows cannot be read: once a minute at most, for a client may ask again and again.
    func failedToRead(_ error: any Error) {
        guard let count = readFailures.withLock({ $0.failed(at: stopwatch.elapsed) }) else { return }
        logger.warning("The history cannot be read: \(error)", metadata: ["count": "\(count)"])
    }

    /// Writes all rows that wait, with the current minute and half hour.
    func finish() async {
        state.withLock { state in
            let minutes = [state.minutes.end()].compactMap(\.self)
            state.waiting.append(HistoryBacklog(minutes: minutes, points: state.points.end()))
        }
        await flush()
    }

    /// Writes all rows that wait; a call in progress also writes those that arrive meanwhile.
    func flush() async {
        while let (backlog, outage, uplinks, points) = begin() {
            // Those to which more will be added.
            let hours = HourlyUptime.hour(now().date.timeIntervalSince1970).map { $0 - 1...$0 }
            do {
                let stored = try await database.write { [state] transaction in
                    try backlog.write(in: transaction)
                    try OngoingOutage.set(outage, in: transaction)
                    try UplinkOutageHistory.set(ongoing: uplinks, in: transaction)
                    try PointHistory.set(ongoing: points, in: transaction)
                    // Not counted twice by a reader that comes before this task goes on.
                    state.withLock { $0.writing?.dropHours() }
                    return try hours.map { try UptimeHistory.hours($0, in: transaction) }
                }
                let hasFailed = state.withLock { state in
                    defer { (state.writing, state.isFailing, state.stored) = (nil, false, stored) }
                    return state.isFailing
                }
                if hasFailed { logger.info("The history is written again") }
            } catch {
                // The database itself reports errors of its file.
                let isNews = (error as? StorageError)?.isOfFile != true
                let isFirst = state.withLock { state in
                    defer { state.isFailing = state.isFailing || isNews }
                    var kept = backlog
                    kept.append(state.waiting)
                    (state.waiting, state.writing) = (kept, nil)
                    return !state.isFailing
                }
                if isFirst, isNews {
                    logger.error("The history cannot be written, its last rows are kept in memory: \(error)")
                }
                return
            }
        }
    }

    private func begin() -> (
        backlog: HistoryBacklog, outage: OutageRow?, uplinks: [UplinkOutageRow], points: [PointRow]
    )? {
        state.withLock { state in
            guard state.writing == nil, state.hasBegun || !state.waiting.isEmpty else { return nil }
            defer { (state.waiting, state.hasBegun) = (HistoryBacklog(), false) }
            state.writing = state.waiting
            let now = now()
            return (state.waiting, state.ongoing(now), state.ongoingUplinks(now), state.points.rows)
        }
    }
}
