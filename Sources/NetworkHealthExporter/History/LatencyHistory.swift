import PrometheusExposition
import Statistics
import Storage

/// The table of the internet's latency: minute by minute, of older ones hour by hour.
enum LatencyHistory: HistoryTable {
    /// The row of an hour has the number of its minutes; that of a minute has none.
    static let definition = """
        CREATE TABLE latency (
            at REAL PRIMARY KEY NOT NULL,
            p50 REAL,
            p95 REAL,
            jitter REAL,
            loss REAL,
            minutes INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// Of two rows of one time, as at a restart or a clock set back, the first one stays.
    static func add(_ rows: [LatencyRow], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                "INSERT INTO latency VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (at) DO NOTHING",
                [.real(row.at)] + [row.p50, row.p95, row.jitter, row.loss].map { $0.map { .real($0) } ?? .null }
                    + [row.minutes.map { .integer(Int64($0)) } ?? .null]
            )
        }
    }

    static let name = "latency"
    static let key = "at"
    static let time = "at"
    /// More than a year of minutes, for those who keep them: 27 MB.
    static let limit: Int64 = 600_000
    static let selection =
        "SELECT *, 0 AS id FROM latency WHERE at >= ?1 AND (at, 0) > (?1, ?2) ORDER BY at LIMIT ?3"

    /// Makes one row of each hour's minutes, of the oldest day that has minutes; an hour that ends after that time stays as it is.
    ///
    /// - Parameters:
    ///   - time: in seconds since 1970.
    ///   - transaction: one that writes.
    /// - Returns: false where there was nothing to do.
    /// - Throws: where the table cannot be read or written; then the transaction changes nothing.
    static func thin(before time: Double, in transaction: borrowing Transaction) throws(StorageError) -> Bool {
        let end = (time / 3600).rounded(.down) * 3600
        let oldest = try transaction.rows("SELECT min(at) FROM latency WHERE minutes IS NULL AND at < ?", [.real(end)])
        guard let first = oldest.first?[0].real else { return false }
        let last = max(first, min(end, (first / 3600).rounded(.down) * 3600 + 86_400) - 1)
        let condition = "minutes IS NULL AND at BETWEEN ?1 AND ?2"
        let rows = try transaction.rows("SELECT * FROM latency WHERE \(condition)", [.real(first), .real(last)])
        try transaction.run("DELETE FROM latency WHERE \(condition)", [.real(first), .real(last)])
        try add(LatencyRow.hours(of: rows.compactMap(row)), in: transaction)
        return true
    }

    static func row(_ row: SQLRow) -> LatencyRow? {
        // A damaged file may have any numbers, and JSON has only finite ones.
        func number(_ column: String, in range: ClosedRange<Double>) -> Double? {
            row[column].real.flatMap { range.contains($0) ? $0 : nil }
        }
        return number("at", in: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude).map { at in
            LatencyRow(
                at: at,
                p50: number("p50", in: 0...3600),
                p95: number("p95", in: 0...3600),
                jitter: number("jitter", in: 0...3600),
                loss: number("loss", in: 0...1),
                minutes: row["minutes"].integer.map { Int(min(max($0, 1), 60)) }
            )
        }
    }
}

/// The latency of the internet in one minute, of the single measurements in it, or in one hour, of its minutes; times are in seconds.
///
/// The measurements are read every five seconds: one may count for the minute before.
struct LatencyRow: HistoryRow {
    /// When the minute or the hour began, in seconds since 1970.
    var at: Double
    /// The median.
    var p50: Double?
    /// The smallest latency that 95 of 100 do not exceed; nil where only live TCP flows were measured.
    var p95: Double?
    /// The mean difference between one latency and the next of the same target.
    var jitter: Double?
    /// The share of the probes that failed, from 0 to 1; nil where a failure does not mean a lost packet.
    var loss: Double?
    /// Of an hour: its minutes with a measurement; nil for the row of a minute.
    var minutes: Int?

    /// The same by the hour: the medians of the minutes, and the mean of their loss where more than half of them have one; rows of
    /// hours stay as they are.
    static func hours(of rows: [LatencyRow]) -> [LatencyRow] {
        let minutes = Dictionary(grouping: rows.filter { $0.minutes == nil }) { HourlyUptime.hour($0.at) }
        let hours = minutes.compactMap { hour, rows in hour.map { Self.hour($0, of: rows) } }
        return (rows.filter { $0.minutes != nil } + hours).sorted { $0.at < $1.at }
    }

    private static func hour(_ hour: Int64, of minutes: [LatencyRow]) -> LatencyRow {
        func median(_ value: (LatencyRow) -> Double?) -> Double? {
            minutes.compactMap(value).median
        }
        let losses = minutes.compactMap(\.loss)
        // The loss of an hour counts for all of its minutes: one of a few of them would say too much.
        let isLossKnown = losses.count * 2 > minutes.count
        return LatencyRow(
            at: Double(hour) * 3600,
            p50: median(\.p50),
            p95: median(\.p95),
            jitter: median(\.jitter),
            loss: isLossKnown ? losses.reduce(0, +) / Double(losses.count) : nil,
            minutes: minutes.count
        )
    }
}

extension LatencyRow {
    static let columns = ["at", "p50", "p95", "jitter", "loss", "seconds", "minutes"]

    var fields: [String?] {
        let row = document
        return [row.at] + [row.p50, row.p95, row.jitter, row.loss].map { $0.map { "\($0)" } }
            + ["\(row.seconds)", "\(row.minutes)"]
    }

    var document: Document { Document(self) }

    /// The same as JSON; unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        @Nullable var p50: Double?
        @Nullable var p95: Double?
        @Nullable var jitter: Double?
        @Nullable var loss: Double?
        /// How long it was.
        var seconds: Int
        /// How many of its minutes had a measurement.
        var minutes: Int

        init(_ row: LatencyRow) {
            at = RFC3339.text(row.at)
            (seconds, minutes) = (row.minutes == nil ? 60 : 3600, row.minutes ?? 1)
            (p50, p95) = (row.p50?.toMicroseconds, row.p95?.toMicroseconds)
            (jitter, loss) = (row.jitter?.toMicroseconds, row.loss?.toFiveDigits)
        }
    }

    var families: [MetricFamily] { LatencyMetrics.history(self) }
}
