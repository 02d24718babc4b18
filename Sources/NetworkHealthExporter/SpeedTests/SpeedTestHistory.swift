import FoundationEssentials
import PrometheusExposition
import SpeedTestCore
import Statistics
import Storage

/// What outlives a restart: the reports of speed tests, the memory of their schedule and the account of their budget.
struct SpeedTestHistory: Sendable {
    /// What an earlier process has stored.
    struct Saved: Sendable {
        /// In the order in which the tests ran; the clock may have been wrong.
        var reports: [SpeedTestReport] = []
        var memory = SpeedTestScheduler.Memory()
        var budget = BudgetAccount()
        /// The file could not be read, or not be held while it was: it may have more, which must not be overwritten.
        var isProvisional = false
        /// There is a file: what is stored outlives the process.
        var isKept = false

        var isEmpty: Bool {
            reports.isEmpty && memory == SpeedTestScheduler.Memory() && budget == BudgetAccount()
        }
    }

    /// What changes while tests run.
    typealias State = (memory: SpeedTestScheduler.Memory, budget: BudgetAccount)

    static let definition = """
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

    let database: Database

    /// Reports that are read at the start, besides the last good ones.
    private static let readLimit: Int64 = 500
    /// The names in `speedtest_state`.
    private static let (memoryName, budgetName) = ("memory", "budget")

    /// The last successful test of each server on each uplink; of the newest 64, since a travelling host meets many.
    private static let lastGood = """
        SELECT max(id) FROM speedtest WHERE failure IS NULL AND NOT latency_only
        GROUP BY server, uplink ORDER BY max(id) DESC LIMIT 64
        """

    /// Reads what is stored, also while the file cannot be written.
    func load() async throws -> Saved { try await database.read { try Self.saved(in: $0) } }

    /// Reads what is stored from a file that can be written now: only this process changes it from then on.
    func loadForWriting() async throws -> Saved { try await database.write { try Self.saved(in: $0) } }

    private static func saved(in transaction: borrowing Transaction) throws(StorageError) -> Saved {
        let rows = try transaction.rows(
            """
            SELECT * FROM speedtest
            WHERE id > (SELECT max(id) FROM speedtest) - ?
            OR id IN (\(lastGood))
            ORDER BY id
            """,
            [.integer(readLimit)]
        )
        return Saved(
            reports: rows.compactMap(row),
            memory: try value(memoryName, in: transaction) ?? SpeedTestScheduler.Memory(),
            budget: try value(budgetName, in: transaction) ?? BudgetAccount()
        )
    }

    /// Adds reports and stores the state, both of the time of the write, in one transaction: of two waiting writes, the
    /// second never stores an older state.
    func save(_ content: @escaping @Sendable () -> (reports: [SpeedTestReport], state: State)) async throws {
        try await database.write { transaction in
            let (reports, state) = content()
            for report in reports { try Self.add(report, in: transaction) }
            try Self.set(state, in: transaction)
        }
    }

    private static func add(_ report: SpeedTestReport, in transaction: borrowing Transaction) throws(StorageError) {
        try transaction.run(
            """
            INSERT INTO speedtest
            (started_at, server, uplink, failure, latency_only, received, transmitted, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .real(report.startedAt.timeIntervalSince1970), .text(report.server),
                .text(report.uplink), report.failure.map { .text($0.reason.rawValue) } ?? .null,
                .integer(report.isLatencyOnly ? 1 : 0), .integer(Int64(clamping: report.traffic.received)),
                .integer(Int64(clamping: report.traffic.transmitted)),
                .text(String(decoding: report.json, as: UTF8.self)),
            ]
        )
    }

    private static func set(_ state: State, in transaction: borrowing Transaction) throws(StorageError) {
        try set(memoryName, state.memory, in: transaction)
        try set(budgetName, state.budget, in: transaction)
    }

    private static func set(
        _ name: String,
        _ value: some Encodable,
        in transaction: borrowing Transaction
    ) throws(StorageError) {
        // Only this program reads it: dates are numbers, which are exact.
        guard let data = try? JSONEncoder().encode(value) else { return }
        let text = String(decoding: data, as: UTF8.self)
        try transaction.run(
            "INSERT INTO speedtest_state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(name), .text(text)]
        )
    }

    /// nil where there is none, and where another version wrote it in another form.
    private static func value<Value: Decodable>(
        _ name: String,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Value? {
        let rows = try transaction.rows("SELECT value FROM speedtest_state WHERE name = ?", [.text(name)])
        return rows.first?["value"].text.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }
}

extension SpeedTestHistory: HistoryTable {
    static let name = "speedtest"
    static let time = "started_at"
    /// One an hour in 13 months.
    static let limit: Int64 = 10_000
    static let selection = """
        SELECT * FROM speedtest WHERE started_at >= ?1 AND (started_at, id) > (?1, ?2)
        ORDER BY started_at, id LIMIT ?3
        """
    /// The last good tests stay, whatever their age: the next start reads them.
    static let kept: String? = lastGood

    static func row(_ row: SQLRow) -> SpeedTestReport? {
        guard let text = row["document"].text, let uplink = row["uplink"].text,
            var report = JSONDocument.decode(SpeedTestReport.self, from: text)
        else { return nil }
        if let name = row["failure"].text {
            guard let reason = SpeedTestFailure.Reason(rawValue: name) else { return nil }
            report.failure = SpeedTestFailure(reason, report.failure?.message ?? name)
        } else {
            report.failure = nil
        }
        report.uplink = uplink
        report.isLatencyOnly = row["latency_only"].integer == 1
        report.traffic = ByteCounts(
            received: UInt64(clamping: row["received"].integer ?? 0),
            transmitted: UInt64(clamping: row["transmitted"].integer ?? 0)
        )
        return report
    }
}

extension SpeedTestReport: HistoryRow {
    static let columns =
        [
            "server", "uplink", "protocol", "host", "startedAt", "durationSeconds", "pingLatencySeconds",
            "pingJitterSeconds",
        ]
        + Direction.allCases.flatMap { direction in
            [
                "SpeedMbps", "BytesTransferred", "DurationSeconds", "LoadedLatencySeconds", "ResponsivenessRpm",
                "Stable", "UncertaintyRatio", "LimitedBy", "OtherTrafficMbps", "QueueLocation", "CongestionControl",
            ].map { direction.rawValue + $0 }
        } + ["linkType", "linkSpeedMbps", "error"]

    var document: StoredSpeedTest { StoredSpeedTest(report: self) }

    /// The end of the test: from then on `/metrics` has its values.
    var at: Double { endedAt.timeIntervalSince1970 }

    var fields: [String?] {
        [
            server, uplinkLabel, `protocol`.rawValue, host, RFC3339.text(startedAt.timeIntervalSince1970),
            Self.text(duration),
            ping.map { Self.text($0.latency) }, ping.map { Self.text($0.jitter) },
        ] + Direction.allCases.flatMap { Self.fields(self[$0]) }
            + [link?.type, link?.speedMbps.map { "\($0)" }, failure?.message]
    }

    var families: [MetricFamily] { SpeedTestMetrics.measured([SpeedTestResults.Values(self)]) }

    private static func fields(_ transfer: DirectionReport?) -> [String?] {
        guard let transfer else { return Array(repeating: nil, count: 11) }
        return [
            "\(transfer.rate.megabits)", "\(transfer.bytes)", text(transfer.window),
            transfer.loadedLatency.map(text), transfer.responsiveness.map { "\($0.toFiveDigits)" },
            "\(transfer.isStable)", transfer.uncertainty.map { "\($0)" }, transfer.limitNames.joined(separator: " "),
            transfer.otherTraffic.map { "\($0.megabits)" }, transfer.queue?.rawValue, transfer.congestionControl,
        ]
    }

    private static func text(_ duration: Duration) -> String { "\(duration.seconds.toMicroseconds)" }
}

/// A test of the history, with the label of its uplink as the metrics have it.
struct StoredSpeedTest: Encodable {
    let report: SpeedTestReport

    private enum Key: String, CodingKey { case uplink }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(report.uplinkLabel, forKey: .uplink)
    }
}
