import PrometheusExposition
import Statistics
import Storage

/// The table of the latency and the loss of each point on the way, by the half hour.
enum PointHistory: HistoryTable {
    /// `at` is the begin of the half hour, or of what this process has of it; the second table has the rows of the current one.
    ///
    /// Whole numbers, since they are shorter in the file.
    static let definition = """
        CREATE TABLE latency_point (
            id INTEGER PRIMARY KEY,
        \(columns)
        ) STRICT;
        CREATE INDEX latency_point_at ON latency_point (at);
        CREATE TABLE ongoing_point (
        \(columns)
        ) STRICT;
        """
    private static let columns = """
            at REAL NOT NULL,
            point TEXT NOT NULL,
            microseconds INTEGER,
            lost INTEGER NOT NULL,
            probes INTEGER NOT NULL,
            seconds INTEGER NOT NULL
        """

    static let name = "latency_point"
    static let time = "at"
    /// Ten points in 13 months.
    static let limit: Int64 = 200_000
    static let selection =
        "SELECT * FROM latency_point WHERE at >= ?1 AND (at, id) > (?1, ?2) ORDER BY at, id LIMIT ?3"

    static func add(_ rows: [PointRow], in transaction: borrowing Transaction) throws(StorageError) {
        try add(rows, to: name, in: transaction)
    }

    /// Stores the rows of the current half hour, which the next process completes if this one is killed in it.
    static func set(ongoing rows: [PointRow], in transaction: borrowing Transaction) throws(StorageError) {
        try transaction.run("DELETE FROM ongoing_point")
        try add(rows, to: "ongoing_point", in: transaction)
    }

    /// The rows of the half hour in which the last process ended; empty where it has written them.
    static func interrupted(in transaction: borrowing Transaction) throws(StorageError) -> [PointRow] {
        try transaction.rows("SELECT * FROM ongoing_point ORDER BY point").compactMap(row)
    }

    private static func add(
        _ rows: [PointRow],
        to table: String,
        in transaction: borrowing Transaction
    ) throws(StorageError) {
        for row in rows {
            try transaction.run(
                "INSERT INTO \(table) (at, point, microseconds, lost, probes, seconds) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .real(row.at), .text(row.point),
                    row.median.flatMap { Int64(exactly: ($0 * 1e6).rounded()) }.map { .integer($0) } ?? .null,
                    .integer(Int64(row.lost)), .integer(Int64(row.probes)), .integer(Int64(row.seconds)),
                ]
            )
        }
    }

    /// Whether a point can have this name: that of an uplink is as long as that of a target, behind a word.
    private static func isPoint(_ name: String) -> Bool {
        (name.hasPrefix(PointWindow.uplink) ? String(name.dropFirst(PointWindow.uplink.count)) : name).isTargetName
    }

    static func row(_ row: SQLRow) -> PointRow? {
        // A damaged file may have any numbers.
        guard let at = row["at"].real, at.isFinite, let point = row["point"].text, isPoint(point),
            let lost = row["lost"].integer, let probes = row["probes"].integer, let seconds = row["seconds"].integer,
            (1...1_000_000).contains(probes), (0...probes).contains(lost), (1...3600).contains(seconds),
            row["microseconds"].integer.map({ $0 >= 0 }) ?? true
        else { return nil }
        return PointRow(
            at: at,
            point: point,
            median: row["microseconds"].integer.map { Double($0) / 1e6 },
            lost: Int(lost),
            probes: Int(probes),
            seconds: Int(seconds)
        )
    }
}

/// The probes of one point on the way in half an hour, outages left out; times are in seconds.
struct PointRow: HistoryRow {
    /// When the half hour began, or in it this process, in seconds since 1970.
    var at: Double
    /// `router`, `hop 2 ipv4`, or a target's name.
    var point: String
    /// nil where none was answered.
    var median: Double?
    /// Probes without an answer: of a router they may be unanswered questions, not lost packets.
    var lost: Int
    var probes: Int
    /// How long it was observed, at least 1: less than a half hour after a start, before an end, and with outages.
    var seconds: Int

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
        var seconds: Int

        init(_ row: PointRow) {
            (at, point, probes, seconds) = (RFC3339.text(row.at), row.point, row.probes, row.seconds)
            (p50, loss) = (row.median?.toMicroseconds, (Double(row.lost) / Double(row.probes)).toFiveDigits)
        }
    }

    /// No metric has it: those of hops and targets are of all probes.
    var families: [MetricFamily] { [] }
}
