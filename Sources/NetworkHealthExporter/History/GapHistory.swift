import NetworkHealth
import PrometheusExposition
import Storage

/// The table of the time in which this process did not run though it had not ended.
enum GapHistory: HistoryTable {
    /// `at` is its end.
    static let definition = """
        CREATE TABLE gap (id INTEGER PRIMARY KEY, at REAL NOT NULL, seconds REAL NOT NULL) STRICT;
        CREATE INDEX gap_at ON gap (at);
        """

    static func add(_ rows: [DatedGap], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                "INSERT INTO gap (at, seconds) VALUES (?, ?)",
                [.real(row.at), .real(row.end - row.start)]
            )
        }
    }

    static let name = "gap"
    static let time = "at"
    static let limit: Int64 = 20_000
    static let selection = "SELECT * FROM gap WHERE at >= ?1 AND (at, id) > (?1, ?2) ORDER BY at, id LIMIT ?3"

    static func row(_ row: SQLRow) -> DatedGap? {
        // A damaged file may have any numbers.
        guard let end = row["at"].real, let seconds = row["seconds"].real, end.magnitude < 1e12,
            (0...1e12).contains(seconds)
        else { return nil }
        return DatedGap(start: end - seconds, end: end)
    }
}

extension DatedGap: HistoryRow {
    static let columns = ["startedAt", "endedAt", "seconds"]

    var at: Double { end }

    var fields: [String?] { [document.startedAt, document.endedAt, "\(document.seconds)"] }

    var document: Document { Document(self) }

    struct Document: Encodable, Sendable {
        var startedAt: String
        var endedAt: String
        var seconds: Double

        init(_ gap: DatedGap) {
            startedAt = RFC3339.text(gap.start, milliseconds: true)
            endedAt = RFC3339.text(gap.end, milliseconds: true)
            seconds = (gap.end - gap.start).rounded(toPlaces: 3)
        }
    }

    /// No metric has it: `network_health_monitored_seconds_total` lacks it.
    var families: [MetricFamily] { [] }
}
