import Storage

/// The table of the internet's latency, minute by minute.
enum LatencyHistory: HistoryTable {
    static let migration = Migration(
        "latency",
        """
        CREATE TABLE latency (at REAL PRIMARY KEY NOT NULL, p50 REAL, p95 REAL, jitter REAL, loss REAL)
        STRICT, WITHOUT ROWID;
        """
    )

    /// Of two rows of one minute, as at a restart or a clock set back, the first one stays.
    static func add(_ rows: [MinuteLatency], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                "INSERT INTO latency VALUES (?, ?, ?, ?, ?) ON CONFLICT (at) DO NOTHING",
                [.real(row.at)] + [row.p50, row.p95, row.jitter, row.loss].map { $0.map { .real($0) } ?? .null }
            )
        }
    }

    static let time = "at"
    static let newest = "SELECT max(at) FROM latency"
    static let selection =
        "SELECT *, 0 AS id FROM latency WHERE at >= ?1 AND (at, 0) > (?1, ?2) ORDER BY at LIMIT ?3"
    static let deletion = "DELETE FROM latency WHERE at IN (SELECT at FROM latency WHERE at < ? LIMIT ?)"

    static func row(_ row: SQLRow) -> MinuteLatency? {
        // JSON has no other numbers, and a damaged file may.
        func number(_ column: String) -> Double? { row[column].real.flatMap { $0.isFinite ? $0 : nil } }
        return number("at").map { at in
            MinuteLatency(
                at: at,
                p50: number("p50"),
                p95: number("p95"),
                jitter: number("jitter"),
                loss: number("loss")
            )
        }
    }
}
