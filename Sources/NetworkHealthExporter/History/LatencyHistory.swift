import PrometheusExposition
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
        // JSON has only finite numbers, and a damaged file may have others.
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

/// The latency of the internet in one minute, of the single measurements in it; times are in seconds.
///
/// They are read every five seconds: one may count for the minute before.
struct MinuteLatency: HistoryRow {
    /// When the minute began, in seconds since 1970.
    var at: Double
    var p50: Double?
    /// The smallest latency that 95 of 100 do not exceed; nil where only live TCP flows were measured.
    var p95: Double?
    /// The mean difference between one latency and the next of the same target.
    var jitter: Double?
    /// The share of the probes that failed, from 0 to 1; nil where a failure does not mean a lost packet.
    var loss: Double?
}

extension MinuteLatency {
    static let columns = ["at", "p50", "p95", "jitter", "loss"]

    var fields: [String?] {
        let row = document
        return [row.at] + [row.p50, row.p95, row.jitter, row.loss].map { $0.map { "\($0)" } }
    }

    var document: Document { Document(self) }

    /// The same as JSON; unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        @Nullable var p50: Double?
        @Nullable var p95: Double?
        @Nullable var jitter: Double?
        @Nullable var loss: Double?

        init(_ row: MinuteLatency) {
            at = RFC3339.text(row.at)
            (p50, p95) = (row.p50?.toMicroseconds, row.p95?.toMicroseconds)
            (jitter, loss) = (row.jitter?.toMicroseconds, row.loss?.toFiveDigits)
        }
    }

    var families: [MetricFamily] { LatencyMetrics.history(self) }
}
