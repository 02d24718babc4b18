import Storage

/// Removes what is older than it is to be kept.
struct HistoryRetention: Sendable {
    let database: Database
    /// Rows removed at once: others wait so long for the database.
    var batch = 1000

    /// The time of the newest row of all tables, in seconds since 1970; nil where there is none.
    func newest() async throws -> Double? {
        try await database.read { transaction in
            try [TransitionHistory.newest, LatencyHistory.newest, SpeedTestHistory.newest]
                .compactMap { try transaction.rows($0).first?[0].real }.max()
        }
    }

    /// Removes the rows of every table that are older than that time, in seconds since 1970.
    func prune(before time: Double) async throws {
        try await prune(TransitionHistory.self, before: time)
        try await prune(LatencyHistory.self, before: time)
        try await prune(SpeedTestHistory.self, before: time)
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
