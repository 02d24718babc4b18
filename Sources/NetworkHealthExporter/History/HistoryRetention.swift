import Storage

/// Removes what is older than it is to be kept.
struct HistoryRetention: Sendable {
    let database: Database
    /// Rows removed at once: others wait so long for the database.
    var batch = 1000

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
