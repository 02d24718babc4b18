import PrometheusExposition
import Statistics
import Storage

/// The table of the latency and the loss of each point on the way, by the half hour.
enum PointHistory: HistoryTable {
    /// `at` is the begin of the half hour.
    ///
    /// Whole numbers, since they are shorter in the file.
    static let migration = Migration(
        "latency points",
        """
        CREATE TABLE latency_point (
            id INTEGER PRIMARY KEY,
            at REAL NOT NULL,
            point TEXT NOT NULL,
            microseconds INTEGER,
            lost INTEGER NOT NULL,
            probes INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX latency_point_at ON latency_point (at);
        """
    )

    static let name = "latency_point"
    static let time = "at"
    /// Ten points in 13 months.
    static let limit: Int64 = 200_000
    static let selection =
        "SELECT * FROM latency_point WHERE at >= ?1 AND (at, id) > (?1, ?2) ORDER BY at, id LIMIT ?3"

    static func add(_ rows: [PointRow], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                "INSERT INTO latency_point (at, point, microseconds, lost, probes) VALUES (?, ?, ?, ?, ?)",
                [
                    .real(row.at), .text(row.point),
                    row.median.flatMap { Int64(exactly: ($0 * 1e6).rounded()) }.map { .integer($0) } ?? .null,
                    .integer(Int64(row.lost)), .integer(Int64(row.probes)),
                ]
            )
        }
    }

    static func row(_ row: SQLRow) -> PointRow? {
        // A damaged file may have any numbers.
        guard let at = row["at"].real, at.isFinite, let point = row["point"].text, point.isTargetName,
            let lost = row["lost"].integer, let probes = row["probes"].integer,
            (1...1_000_000).contains(probes), (0...probes).contains(lost),
            row["microseconds"].integer.map({ $0 >= 0 }) ?? true
        else { return nil }
        return PointRow(
            at: at,
            point: point,
            median: row["microseconds"].integer.map { Double($0) / 1e6 },
            lost: Int(lost),
            probes: Int(probes)
        )
    }
}

/// The probes of one point on the way in half an hour, outages left out; times are in seconds.
struct PointRow: HistoryRow {
    /// When the half hour began, in seconds since 1970.
    var at: Double
    /// `router`, `hop 2 ipv4`, or a target's name.
    var point: String
    /// nil where none was answered.
    var median: Double?
    /// Probes without an answer: of a router they may be unanswered questions, not lost packets.
    var lost: Int
    var probes: Int

    static let columns = ["at", "point", "p50", "loss", "probes", "seconds"]

    var fields: [String?] {
        let row = document
        return [row.at, point, row.p50.map { "\($0)" }, "\(row.loss)", "\(probes)", "\(row.seconds)"]
    }

    var document: Document { Document(self) }

    /// The same as JSON; unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        var point: String
        @Nullable var p50: Double?
        var loss: Double
        var probes: Int
        /// How long it was.
        var seconds = 1800

        init(_ row: PointRow) {
            (at, point, probes) = (RFC3339.text(row.at), row.point, row.probes)
            (p50, loss) = (row.median?.toMicroseconds, (Double(row.lost) / Double(row.probes)).toFiveDigits)
        }
    }

    /// No metric has it: those of hops and targets are of all probes.
    var families: [MetricFamily] { [] }
}
