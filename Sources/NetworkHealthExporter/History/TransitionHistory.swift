import NetworkHealth
import PrometheusExposition
import Storage

/// The table of the network's states, with the time from which each was known.
enum TransitionHistory: HistoryTable {
    static let definition = """
        CREATE TABLE "transition" (
            id INTEGER PRIMARY KEY,
            at REAL NOT NULL,
            online INTEGER,
            status TEXT NOT NULL,
            reason TEXT,
            internet TEXT,
            interface TEXT,
            type TEXT NOT NULL,
            quality TEXT NOT NULL,
            outage_cause TEXT,
            outage_seconds REAL,
            outage_location TEXT
        ) STRICT;
        CREATE INDEX transition_at ON "transition" (at);
        CREATE INDEX transition_outage ON "transition" (at) WHERE outage_seconds IS NOT NULL;
        """

    static func add(_ rows: [Transition], in transaction: borrowing Transaction) throws(StorageError) {
        for row in rows {
            try transaction.run(
                """
                INSERT INTO "transition"
                    (at, online, status, reason, internet, interface, type, quality, outage_cause, outage_seconds,
                    outage_location)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .real(row.at), row.online.map { .integer($0 ? 1 : 0) } ?? .null, .text(row.status),
                    SQLValue(row.unsatisfiedReason), SQLValue(row.internetState), SQLValue(row.interfaceName),
                    .text(row.connectionType), .text(row.quality), SQLValue(row.outageCause),
                    row.outageSeconds.map { .real($0) } ?? .null, SQLValue(row.outageLocation),
                ]
            )
        }
    }

    /// The last outage that ended; nil without one, and where its row is damaged.
    static func lastOutage(in transaction: borrowing Transaction) throws(StorageError) -> DatedOutage? {
        let rows = try transaction.rows(
            "SELECT * FROM \"transition\" WHERE outage_seconds IS NOT NULL ORDER BY id DESC LIMIT 1"
        )
        return rows.first.flatMap(row).flatMap(DatedOutage.init)
    }

    static let name = "\"transition\""
    static let time = "at"
    /// One every five minutes of 13 months.
    static let limit: Int64 = 120_000
    static let selection =
        "SELECT * FROM \"transition\" WHERE at >= ?1 AND (at, id) > (?1, ?2) ORDER BY at, id LIMIT ?3"

    static func row(_ row: SQLRow) -> Transition? {
        guard let at = row["at"].real, let status = row["status"].text, let type = row["type"].text,
            let quality = row["quality"].text
        else { return nil }
        return Transition(
            at: at,
            online: row["online"].integer.map { $0 != 0 },
            status: status,
            unsatisfiedReason: row["reason"].text,
            internetState: row["internet"].text,
            interfaceName: row["interface"].text,
            connectionType: type,
            quality: quality,
            outageCause: row["outage_cause"].text,
            // JSON has only finite numbers, and a damaged file may have others.
            outageSeconds: row["outage_seconds"].real.flatMap { $0.isFinite ? $0 : nil },
            outageLocation: row["outage_location"].text
        )
    }
}

extension SQLValue {
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// The output form of a transition: the same names in the stream, the history and the log.
extension Transition: HistoryRow {
    static let columns = [
        "at", "online", "status", "unsatisfiedReason", "internetState", "interfaceName", "connectionType", "quality",
        "outageCause", "outageSeconds", "outageLocation",
    ]

    private var time: String { RFC3339.text(at, milliseconds: true) }

    var fields: [String?] {
        [
            time, online.map { "\($0)" }, status, unsatisfiedReason, internetState, interfaceName, connectionType,
            quality, outageCause, outageSeconds.map { "\($0)" }, outageLocation,
        ]
    }

    /// The known fields without the time.
    var known: [(name: String, value: String)] {
        zip(Self.columns, fields).dropFirst().compactMap { name, value in value.map { (name, $0) } }
    }

    var document: Document { Document(self) }

    /// Unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        @Nullable var online: Bool?
        var status: String
        @Nullable var unsatisfiedReason: String?
        @Nullable var internetState: String?
        @Nullable var interfaceName: String?
        var connectionType: String
        var quality: String
        @Nullable var outageCause: String?
        @Nullable var outageSeconds: Double?
        @Nullable var outageLocation: String?

        init(_ transition: Transition) {
            at = transition.time
            online = transition.online
            status = transition.status
            unsatisfiedReason = transition.unsatisfiedReason
            internetState = transition.internetState
            interfaceName = transition.interfaceName
            connectionType = transition.connectionType
            quality = transition.quality
            outageCause = transition.outageCause
            outageSeconds = transition.outageSeconds
            outageLocation = transition.outageLocation
        }
    }

    var families: [MetricFamily] {
        ConnectivityMetrics.verdict(isOnline: online, isConnected: status == NetworkStatus.connected.rawValue)
    }
}
