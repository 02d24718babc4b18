import Statistics
import Storage

/// Removes rows that are older than the retention.
struct HistoryRetention: Sendable {
    let database: Database
    /// Rows removed in one transaction, for which other users of the database wait.
    var batch = 1000

    /// The time of the newest row of all tables, in seconds since 1970; nil where there is none.
    func newest() async throws -> Double? {
        try await database.read { transaction in
            try [TransitionHistory.newest, LatencyHistory.newest, SpeedTestHistory.newest]
                .compactMap { try transaction.rows($0).first?[0].real }.max()
        }
    }

    /// Removes the rows of every table that are older than that time, in seconds since 1970; the hours of uptime have a
    /// limit of their own.
    func prune(before time: Double) async throws {
        try await prune(TransitionHistory.self, before: time)
        try await prune(LatencyHistory.self, before: time)
        try await prune(GapHistory.self, before: time)
        try await prune(SpeedTestHistory.self, before: time)
        try await database.write { try UptimeHistory.prune(in: $0) }
    }

    private func prune<Table: HistoryTable>(_ table: Table.Type, before time: Double) async throws {
        while !Task.isCancelled {
            let removed = try await database.write { [batch] transaction in
                try Table.prune(before: time, limit: batch, in: transaction)
            }
            guard removed == batch else { return }
        }
    }
}

/// Which rows are too old, also while the clock is wrong: a pure decision.
///
/// A clock that is ahead would make every row too old, and what is removed does not come back when it is set right.
/// The time since the newest row is therefore never taken to be longer than this process has been running.
///
/// This does not protect from a clock that stays ahead over a restart: the first process then writes rows of that time,
/// which look like those of a host that was off for as long. No rule by the times of rows can tell the two apart.
struct HistoryCutoff: Sendable {
    /// How long a process has run before it removes anything.
    static let grace = Duration.seconds(3600)

    /// In seconds since 1970.
    private let start: Double

    /// - Parameters:
    ///   - newest: The time of the newest row of an earlier process; nil where there is none.
    ///   - startedAt: The time at which this process started. Both in seconds since 1970.
    init(newest: Double?, startedAt: Double) {
        start = newest ?? startedAt
    }

    /// Decides at one time.
    ///
    /// - Parameters:
    ///   - now: The time of the clock, in seconds since 1970.
    ///   - running: How long this process has been running, by a monotonic clock.
    ///   - retention: How long rows are kept.
    /// - Returns: The time before which rows are removed, in seconds since 1970; nil while none is.
    func time(now: Double, running: Duration, retention: Duration) -> Double? {
        guard running >= Self.grace else { return nil }
        return min(now, start + running.seconds) - retention.seconds
    }
}
