import Statistics
import Storage

/// Removes rows that are too old, or too many, and thins the latency.
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

    /// The bytes of the history's tables and indexes; nil where SQLite cannot count them.
    func bytes() async -> Int64? {
        let tables =
            "'transition', 'ongoing_outage', 'uplink_outage', 'latency', 'latency_point', 'ongoing_point', 'gap', 'uptime', 'speedtest'"
        return try? await database.read { transaction in
            try transaction.rows(
                """
                SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN (
                    SELECT name FROM sqlite_master WHERE tbl_name IN (\(tables))
                )
                """
            ).first?[0].integer
        }
    }

    /// Removes and thins what is too old at a time, in seconds since 1970; the hours of uptime are counted.
    func prune(_ section: HistorySection, at now: Double) async throws {
        let oldest = now - section.retention.seconds
        try await prune(TransitionHistory.self, before: oldest)
        try await prune(GapHistory.self, before: oldest)
        try await prune(UplinkOutageHistory.self, before: oldest)
        try await prune(SpeedTestHistory.self, before: oldest)
        try await prune(LatencyHistory.self, before: max(oldest, now - section.perHour.seconds))
        try await prune(PointHistory.self, before: max(oldest, now - section.perHour.seconds))
        let minutes = now - section.perMinute.seconds
        while !Task.isCancelled, try await database.write({ try LatencyHistory.thin(before: minutes, in: $0) }) {}
        let hours = Int64((section.perHour.seconds / 3600).rounded(.up))
        try await database.write { try UptimeHistory.prune(keeping: hours, in: $0) }
    }

    private func prune<Table: HistoryTable>(_ table: Table.Type, before time: Double) async throws {
        try await repeated { [batch] in try Table.prune(before: time, batch: batch, in: $0) }
        try await repeated { [batch] in try Table.prune(beyond: Table.limit, batch: batch, in: $0) }
    }

    /// Removes rows, a batch in each transaction.
    private func repeated(_ remove: @escaping @Sendable (borrowing Transaction) throws -> Int) async throws {
        while !Task.isCancelled, try await database.write(remove) == batch {}
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
    /// - Returns: The time by which the age of rows is judged, in seconds since 1970; nil while none is removed.
    func time(now: Double, running: Duration) -> Double? {
        guard running >= Self.grace else { return nil }
        return min(now, start + running.seconds)
    }
}
