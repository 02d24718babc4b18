import FoundationEssentials
import PrometheusExposition
import SpeedTestCore
import Storage

/// What outlives a restart: the tests that were made, the schedule's memory and the budget's books.
struct SpeedTestHistory: Sendable {
    /// What was found at the start.
    struct Saved: Sendable {
        /// The newest of them in the order in which they were made; the clock may have been wrong.
        var records: [SpeedTestRecord] = []
        var memory = SpeedTestScheduler.Memory()
        var books = SpeedTestBooks()
    }

    static let migration = Migration(
        "speedtests",
        """
        CREATE TABLE speedtest (
            id INTEGER PRIMARY KEY,
            started_at REAL NOT NULL,
            server TEXT NOT NULL,
            uplink TEXT NOT NULL,
            failure TEXT,
            latency_only INTEGER NOT NULL,
            received INTEGER NOT NULL,
            transmitted INTEGER NOT NULL,
            document TEXT NOT NULL
        ) STRICT;
        CREATE INDEX speedtest_started_at ON speedtest (started_at);
        CREATE TABLE speedtest_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """
    )

    let database: Database

    /// Records that are read at the start, beside the last good one of each server.
    private static let limit: Int64 = 500

    func load() async throws -> Saved {
        try await database.read { transaction in
            let rows = try transaction.rows(
                """
                SELECT * FROM speedtest
                WHERE id > (SELECT max(id) FROM speedtest) - ?
                OR id IN (SELECT max(id) FROM speedtest WHERE failure IS NULL AND NOT latency_only GROUP BY server)
                ORDER BY id
                """,
                [.integer(Self.limit)]
            )
            return Saved(
                records: rows.compactMap(Self.record),
                memory: try Self.value("memory", in: transaction) ?? SpeedTestScheduler.Memory(),
                books: try Self.value("books", in: transaction) ?? SpeedTestBooks()
            )
        }
    }

    /// The newest whole test over that uplink that gave all it was asked for, and those that came after it, in the order in
    /// which they were made: what they come to is the last good value of each direction.
    func recent(over uplink: String) async throws -> [SpeedTestRecord] {
        try await database.read { transaction in
            try transaction.rows(
                """
                SELECT * FROM speedtest WHERE uplink = ?1 AND NOT latency_only AND id >= coalesce(
                    (SELECT max(id) FROM speedtest WHERE failure IS NULL AND NOT latency_only AND uplink = ?1), 0
                )
                ORDER BY id DESC LIMIT ?2
                """,
                [.text(uplink), .integer(Self.limit)]
            ).compactMap(Self.record).reversed()
        }
    }

    /// What changes while tests run.
    typealias State = (memory: SpeedTestScheduler.Memory, books: SpeedTestBooks)

    /// Adds a test, and what holds of the state when that is written, in one transaction.
    func add(_ record: SpeedTestRecord, _ state: @escaping @Sendable () -> State) async throws {
        let document = String(decoding: record.document.json, as: UTF8.self)
        try await database.write { transaction in
            try transaction.run(
                """
                INSERT INTO speedtest
                (started_at, server, uplink, failure, latency_only, received, transmitted, document)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .real(record.startedAt.timeIntervalSince1970), .text(record.document.server),
                    .text(record.uplink), record.failure.map { .text($0.rawValue) } ?? .null,
                    .integer(record.isLatencyOnly ? 1 : 0), .integer(Int64(clamping: record.traffic.received)),
                    .integer(Int64(clamping: record.traffic.transmitted)), .text(document),
                ]
            )
            try Self.set(state(), in: transaction)
        }
    }

    /// Stores what holds of the state when that is written: of two that wait, the second never stores what is older.
    func save(_ state: @escaping @Sendable () -> State) async throws {
        try await database.write { transaction in try Self.set(state(), in: transaction) }
    }

    private static func set(_ state: State, in transaction: borrowing Transaction) throws(StorageError) {
        try set("memory", state.memory, in: transaction)
        try set("books", state.books, in: transaction)
    }

    private static func set(
        _ name: String,
        _ value: some Encodable,
        in transaction: borrowing Transaction
    ) throws(StorageError) {
        // Nobody reads it but us: dates are numbers, which lose nothing.
        guard let data = try? JSONEncoder().encode(value) else { return }
        let text = String(decoding: data, as: UTF8.self)
        try transaction.run(
            "INSERT INTO speedtest_state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(name), .text(text)]
        )
    }

    /// nil for one that is not there, and for one that a later version wrote otherwise.
    private static func value<Value: Decodable>(
        _ name: String,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Value? {
        let rows = try transaction.rows("SELECT value FROM speedtest_state WHERE name = ?", [.text(name)])
        return rows.first?["value"].text.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }

    static func record(_ row: SQLRow) -> SpeedTestRecord? {
        guard let text = row["document"].text, let uplink = row["uplink"].text,
            let document = JSONDocument.decode(SpeedTestDocument.self, from: text)
        else { return nil }
        let reason = row["failure"].text
        let failure = reason.flatMap(SpeedTestFailure.Reason.init)
        guard reason == nil || failure != nil else { return nil }
        return SpeedTestRecord(
            document: document,
            uplink: uplink,
            failure: failure,
            traffic: TrafficAccount.Bytes(
                received: UInt64(clamping: row["received"].integer ?? 0),
                transmitted: UInt64(clamping: row["transmitted"].integer ?? 0)
            ),
            isLatencyOnly: row["latency_only"].integer == 1
        )
    }
}

extension SpeedTestHistory: HistoryTable {
    static let time = "started_at"
    static let newest = "SELECT max(started_at) FROM speedtest"
    static let selection = """
        SELECT * FROM speedtest WHERE started_at >= ?1 AND (started_at, id) > (?1, ?2)
        ORDER BY started_at, id LIMIT ?3
        """
    /// The newest good test of each server stays, whatever its age: the next start reads it.
    static let deletion = """
        DELETE FROM speedtest WHERE id IN (
            SELECT id FROM speedtest WHERE started_at < ? AND id NOT IN (
                SELECT max(id) FROM speedtest WHERE failure IS NULL AND NOT latency_only GROUP BY server
            ) LIMIT ?
        )
        """

    static func row(_ row: SQLRow) -> SpeedTestRecord? { record(row) }
}

extension SpeedTestRecord: HistoryRow {
    static let columns =
        ["server", "protocol", "host", "startedAt", "durationSeconds", "pingLatencySeconds", "pingJitterSeconds"]
        + Direction.allCases.flatMap { direction in
            [
                "SpeedMbps", "BytesTransferred", "DurationSeconds", "LoadedLatencySeconds", "ResponsivenessRpm",
                "Stable", "LimitedBy", "CongestionControl",
            ].map { direction.rawValue + $0 }
        } + ["error"]

    /// Its end: from then on `/metrics` has it.
    var at: Double { endedAt.timeIntervalSince1970 }

    var fields: [String?] {
        [
            document.server, document.protocol.rawValue, document.host,
            RFC3339.text(startedAt.timeIntervalSince1970), "\(document.durationSeconds)",
            document.ping.map { "\($0.latencySeconds)" }, document.ping.map { "\($0.jitterSeconds)" },
        ] + Direction.allCases.flatMap { Self.fields(document[$0]) } + [document.error]
    }

    var families: [MetricFamily] { SpeedTestMetrics.measured([self]) }

    private static func fields(_ transfer: SpeedTestDocument.Transfer?) -> [String?] {
        guard let transfer else { return Array(repeating: nil, count: 8) }
        return [
            "\(transfer.speedMbps)", "\(transfer.bytesTransferred)", "\(transfer.durationSeconds)",
            transfer.loadedLatencySeconds.map { "\($0)" }, transfer.responsivenessRpm.map { "\($0)" },
            "\(transfer.stable)", transfer.limitedBy.map(\.rawValue).joined(separator: " "),
            transfer.congestionControl,
        ]
    }
}
