import FoundationEssentials
import NetworkHealth
import PrometheusExposition
import Storage

/// The table of the outages of standbys: no outages of the host, and in no number about it.
enum UplinkOutageHistory: HistoryTable {
    /// `at` is the end, of an ongoing one the last write: the next process completes that if this one ends in it.
    static let definition = """
        CREATE TABLE uplink_outage (
            id INTEGER PRIMARY KEY,
            uplink TEXT NOT NULL,
            cause TEXT NOT NULL,
            at REAL NOT NULL,
            seconds REAL NOT NULL,
            location TEXT NOT NULL,
            is_ongoing INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX uplink_outage_at ON uplink_outage (at);
        """

    static let name = "uplink_outage"
    static let time = "at"
    static let limit: Int64 = 20_000
    static let selection = """
        SELECT * FROM uplink_outage WHERE NOT is_ongoing AND at >= ?1 AND (at, id) > (?1, ?2) ORDER BY at, id LIMIT ?3
        """

    /// Replaces the ongoing ones.
    static func set(
        ongoing rows: [UplinkOutageRow],
        in transaction: borrowing Transaction
    ) throws(StorageError) {
        try transaction.run("DELETE FROM uplink_outage WHERE is_ongoing")
        try add(rows, in: transaction)
    }

    static func add(_ rows: [UplinkOutageRow], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                "INSERT INTO uplink_outage (uplink, cause, at, seconds, location, is_ongoing) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .text(row.uplink), .text(row.outage.cause.rawValue), .real(row.at), .real(row.seconds),
                    .text(row.outage.location.rawValue), .integer(row.outage.end == nil ? 1 : 0),
                ]
            )
        }
    }

    /// The outages in which the last process ended: from then on nothing is known.
    static func interrupted(in transaction: borrowing Transaction) throws(StorageError) -> [UplinkOutageRow] {
        try transaction.rows("SELECT * FROM uplink_outage WHERE is_ongoing ORDER BY id").compactMap(row)
    }

    static func row(_ row: SQLRow) -> UplinkOutageRow? {
        // JSON has only finite numbers, and a damaged file may have others.
        guard let uplink = row["uplink"].text, let cause = row["cause"].text.flatMap(OutageCause.init),
            let at = row["at"].real, let seconds = row["seconds"].real, at.isFinite, seconds.isFinite
        else { return nil }
        let location = row["location"].text.flatMap(FaultLocation.init) ?? .unknown
        return UplinkOutageRow(
            uplink: uplink,
            outage: DatedOutage(cause, location, until: at, seconds: seconds),
            seconds: seconds
        )
    }
}

/// One outage of an uplink while it was a standby.
struct UplinkOutageRow: HistoryRow {
    var uplink: String
    var outage: DatedOutage
    /// Its length so far, without suspend, in whole milliseconds.
    var seconds: Double

    init(uplink: String, outage: DatedOutage, seconds: Double) {
        (self.uplink, self.outage, self.seconds) = (uplink, outage, seconds)
    }

    /// An outage of this process, at the current time by both clocks.
    init(_ outage: UplinkOutage, at now: SuspendingClock.Instant, date: Date) {
        let length = outage.outage.length ?? max(.zero, outage.outage.since.duration(to: now))
        self.init(
            uplink: outage.uplink,
            outage: DatedOutage(outage.outage, at: now, date: date),
            seconds: (length / .seconds(1)).rounded(toPlaces: 3)
        )
    }

    static let columns = ["uplink"] + OutageRow.columns

    /// Its end; now for an ongoing one.
    var at: Double { outage.end ?? outage.start + seconds }

    var fields: [String?] {
        let row = document
        return [row.uplink, row.startedAt, row.endedAt, "\(row.seconds)", row.cause, row.location]
    }

    var document: Document { Document(self) }

    /// The same as JSON; `endedAt` is `null` while it is ongoing.
    struct Document: Encodable, Sendable {
        var uplink: String
        var startedAt: String
        @Nullable var endedAt: String?
        var seconds: Double
        var cause: String
        var location: String

        init(_ row: UplinkOutageRow) {
            let outage = OutageRow.Document(row.outage, seconds: row.seconds)
            (uplink, startedAt, endedAt) = (row.uplink, outage.startedAt, outage.endedAt)
            (seconds, cause, location) = (outage.seconds, outage.cause, outage.location)
        }
    }

    /// No metric has it: those of the last outage are the host's.
    var families: [MetricFamily] { [] }
}
