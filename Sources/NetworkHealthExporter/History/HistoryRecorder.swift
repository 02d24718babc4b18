import FoundationEssentials
import Locking
import Logging
import NetworkHealth
import Probing
import Statistics
import Storage

/// Collects the rows of the history and writes them: a transition at once, together with all rows that wait.
///
/// Rows that cannot be written wait for the next time, up to a limit.
final class HistoryRecorder: Sendable {
    private struct State {
        var reader = LatencyReader()
        var minutes = MinuteAggregator()
        var last: HealthState?
        var waiting = HistoryBacklog()
        /// On its way to the disk; nil while nothing is.
        var writing: HistoryBacklog?
        var isFailing = false
    }

    let database: Database
    private let logger: Logger
    private let state = Locked(State())

    init(database: Database, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    /// The rows that may not be on the disk yet, the oldest first.
    var backlog: HistoryBacklog {
        state.withLock { state in
            var backlog = state.writing ?? HistoryBacklog()
            backlog.append(state.waiting)
            return backlog
        }
    }

    /// Records a state; a transition is on the disk when this returns, unless it cannot be written.
    func receive(_ new: HealthState) async {
        let isNew = state.withLock { state in
            defer { state.last = new }
            guard let transition = Transition(from: state.last, to: new) else { return false }
            state.waiting.append(HistoryBacklog(transitions: [transition]))
            return true
        }
        if isNew { await flush() }
    }

    /// Records the measurements since the last call; their rows wait for a `flush`.
    ///
    /// - Parameters:
    ///   - sources: all of them, whether they have new measurements or not.
    ///   - time: of the row, in seconds since 1970.
    ///   - now: decides which of them count.
    func sample(_ sources: LatencySources, at time: Double, now: OutcomeWindow.Instant = .now) {
        state.withLock { state in
            let samples = state.reader.samples(of: sources, at: now)
            guard let row = state.minutes.add(samples, at: time) else { return }
            state.waiting.append(HistoryBacklog(minutes: [row]))
        }
    }

    /// Writes all rows that wait, with the current minute.
    func finish() async {
        state.withLock { state in
            guard let row = state.minutes.end() else { return }
            state.waiting.append(HistoryBacklog(minutes: [row]))
        }
        await flush()
    }

    /// Writes all rows that wait; a call in progress also writes those that arrive meanwhile.
    func flush() async {
        while let backlog = begin() {
            do {
                try await database.write { try backlog.write(in: $0) }
                let hasFailed = state.withLock { state in
                    defer { (state.writing, state.isFailing) = (nil, false) }
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

    private func begin() -> HistoryBacklog? {
        state.withLock { state in
            guard state.writing == nil, !state.waiting.isEmpty else { return nil }
            defer { state.waiting = HistoryBacklog() }
            state.writing = state.waiting
            return state.waiting
        }
    }
}

/// Rows to be written, the oldest first.
struct HistoryBacklog: Sendable, Equatable {
    /// Of each kind; beyond it the oldest are dropped.
    static let limit = 1000

    private(set) var transitions: [Transition] = []
    private(set) var minutes: [MinuteLatency] = []

    init(transitions: [Transition] = [], minutes: [MinuteLatency] = []) {
        (self.transitions, self.minutes) = (transitions, minutes)
    }

    var isEmpty: Bool { transitions.isEmpty && minutes.isEmpty }

    /// Adds later ones.
    mutating func append(_ later: HistoryBacklog) {
        transitions = (transitions + later.transitions).suffix(Self.limit)
        minutes = (minutes + later.minutes).suffix(Self.limit)
    }

    func write(in transaction: borrowing Transaction) throws(StorageError) {
        try TransitionHistory.add(transitions, in: transaction)
        try LatencyHistory.add(minutes, in: transaction)
    }
}
