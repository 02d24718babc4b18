import Foundation
import Logging
import NetworkHealth
import SpeedTestCore
import Storage
import Testing

@testable import NetworkHealthExporter

/// A file that is damaged, or that somebody else wrote: each number in it as odd as its column allows, one at a time.
@Suite(.timeLimit(.minutes(5))) struct DamagedFileTests {
    private static let hour = 472_222.0
    private static let start = hour * 3600
    private static let reals = [1.7e308, -1.7e308, 1e300, 1e19, 9.3e15, 1e-300, 0, -1, .infinity, -.infinity]
    private static let integers: [Int64] = [.max, .min, 1 << 53, 1_000_000, 61, 0, -1]
    private static let json = [
        "1.7e308", "-1.7e308", "1e300", "9223372036854775807", "-9223372036854775808", "1e-300", "0", "-1",
    ]

    private let database: Database
    private let recorder: HistoryRecorder

    /// Two rows in each table, of which the first is changed.
    init() async throws {
        database = try Database(file: nil, schema: .exporter)
        recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
        let tests = [SpeedTestReport.good(at: Self.start + 60), .good(at: Self.start + 4000)]
        let state = SpeedTestState.home().stored
        try await SpeedTestHistory(database: database).save { (tests, state) }
        try await database.write { transaction in
            let minutes = [0.0, 7200].map {
                LatencyRow(at: Self.start + $0, p50: 0.02, p95: 0.1, jitter: 0.001, loss: 0.1, minutes: 30)
            }
            try LatencyHistory.add(minutes, in: transaction)
            let points = [0.0, 1800].map {
                PointRow(at: Self.start + $0, point: "router", median: 0.001, lost: 1, probes: 60, seconds: 1800)
            }
            try PointHistory.add(points, in: transaction)
            let uptime = Uptime(monitored: 3600, offline: [.link: 36])
            try UptimeHistory.add([Int64(Self.hour): uptime, Int64(Self.hour) + 1: uptime], in: transaction)
            for at in [Self.start + 100, Self.start + 5000] {
                try transaction.run(
                    """
                    INSERT INTO "transition" (at, online, status, type, quality, outage_cause, outage_seconds, outage_location)
                    VALUES (?, 1, 'connected', 'ethernet', 'good', 'link', 36, 'link')
                    """,
                    [.real(at)]
                )
                try transaction.run(
                    "INSERT INTO uplink_outage (uplink, cause, at, seconds, location, is_ongoing) VALUES ('lte', 'link', ?, 36, 'link', 0)",
                    [.real(at)]
                )
                try transaction.run("INSERT INTO gap (at, seconds) VALUES (?, 7)", [.real(at)])
            }
        }
    }

    /// A report, and what is exported of the table that was changed.
    private func print(_ table: String) async throws {
        let until = Self.start + 86_400
        let period = try #require(ReportPeriod(since: Self.start, until: until, now: until))
        let report = Report(try await recorder.rows(of: period), of: period, clock: ReportClock { _ in 0 })
        for format in ReportFormat.allCases { #expect(!format.print(report).bytes.isEmpty) }
        let json = try JSONSerialization.jsonObject(with: Data(ReportFormat.json.print(report).bytes))
        #expect(json as? [String: Any] != nil)
        switch table {
        case "latency": try await export(LatencyHistory.self)
        case "latency_point": try await export(PointHistory.self)
        case "transition": try await export(TransitionHistory.self)
        case "uplink_outage": try await export(UplinkOutageHistory.self)
        case "speedtest": try await export(SpeedTestHistory.self)
        case "gap": try await export(GapHistory.self)
        default: #expect(table == "uptime", "nothing is exported of it")
        }
    }

    private func export<Table: HistoryTable>(_ table: Table.Type) async throws {
        for format in HistoryFormat.allCases {
            let pages = try await HistoryPages(table, of: database, since: 0, waiting: { [] })
            var bytes: [UInt8] = []
            try await format.print(pages) { bytes += $0 }
            guard format == .json else { continue }
            // Numbers that JSON has not would leave out a page.
            let rows = try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]]
            #expect(rows != nil, "\(table): \(String(decoding: bytes, as: UTF8.self).prefix(200))")
        }
    }

    @Test(arguments: [
        ("latency", "at"), ("latency_point", "at"), ("uptime", "hour"), ("transition", "at"), ("uplink_outage", "at"),
        ("speedtest", "started_at"), ("gap", "at"),
    ])
    func `any number in a column leaves a report and an export`(table: String, key: String) async throws {
        let columns = try await database.read { transaction in
            try transaction.rows("SELECT name, type FROM pragma_table_info(?)", [.text(table)]).compactMap { row in
                row["name"].text.flatMap { name in row["type"].text.map { (name, $0) } }
            }
        }
        #expect(columns.contains { $0.1 == "REAL" || $0.1 == "INTEGER" })
        for (column, type) in columns where type != "TEXT" {
            let values = type == "REAL" ? Self.reals.map(SQLValue.real) : Self.integers.map(SQLValue.integer)
            for value in values {
                // The table is as it was afterwards.
                try await database.write { transaction in
                    let first = "WHERE \(key) = (SELECT min(\(key)) FROM \"\(table)\")"
                    try transaction.run("CREATE TEMP TABLE kept AS SELECT * FROM \"\(table)\"")
                    try transaction.run("UPDATE OR IGNORE \"\(table)\" SET \(column) = ? \(first)", [value])
                }
                try await print(table)
                try await database.write { transaction in
                    try transaction.run("DELETE FROM \"\(table)\"")
                    try transaction.run("INSERT INTO \"\(table)\" SELECT * FROM kept")
                    try transaction.run("DROP TABLE kept")
                }
            }
        }
    }

    /// The text with each of its numbers replaced, one at a time.
    private static func damaged(_ text: String) -> [String] {
        text.matches(of: /[:\[,]-?[0-9][0-9.eE+-]*/).flatMap { match in
            json.map { text.replacingCharacters(in: match.range, with: String(text[match.range.lowerBound]) + $0) }
        }
    }

    @Test func `any number in the document of a speed test leaves a report and an export`() async throws {
        let document = String(decoding: SpeedTestReport.good(at: Self.start + 60).json, as: UTF8.self)
        let texts = Self.damaged(document)
        #expect(texts.count > 50)
        for text in texts {
            try await database.write { transaction in
                try transaction.run("UPDATE speedtest SET document = ? WHERE id = 1", [.text(text)])
            }
            try await print("speedtest")
            let saved = try await SpeedTestHistory(database: database).load()
            _ = SpeedTestMetrics.families(.init(.home(saved), on: "eth0", at: SpeedTestState.start))
        }
    }

    @Test func `any number in the stored state of the schedule leaves tests that are planned`() async throws {
        var memory = SpeedTestScheduler.Memory(lastStart: SpeedTestState.start, nextRun: SpeedTestState.start + 60)
        (memory.nominal, memory.notBefore, memory.attempts, memory.stretchedGap) = (SpeedTestState.start, .now, 2, 100)
        var budget = BudgetAccount()
        budget.ledger.charge(1000, at: SpeedTestState.start)
        budget.reserved = 7
        for (name, text) in [
            ("memory", String(decoding: try JSONEncoder().encode(memory), as: UTF8.self)),
            ("budget", String(decoding: try JSONEncoder().encode(budget), as: UTF8.self)),
        ] {
            let texts = Self.damaged(text)
            #expect(texts.count > 8, "\(text)")
            for text in texts {
                try await database.write { transaction in
                    try transaction.run(
                        "INSERT INTO speedtest_state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                        [.text(name), .text(text)]
                    )
                    // No test has succeeded.
                    try transaction.run("DELETE FROM speedtest")
                }
                let saved = try await SpeedTestHistory(database: database).load()
                var state = SpeedTestState.home(saved)
                let now = SpeedTestState.start
                #expect(state.staleAfter < .seconds(1e9), "\(text)")
                _ = SpeedTestMetrics.families(.init(state, on: "eth0", at: now))
                _ = state.decide(.online(), now: now + 100_000)
                _ = state.request(.online(), now: now + 200_000)
                state.begin(.online(), now: now + 200_000)
                state.endServer(.good(at: 1_700_000_000), now: now + 200_010)
                state.end(.online(), hasSucceeded: false, now: now + 200_010)
                #expect(try #require(state.nextRun) < now + 400 * 86_400, "\(text)")
                _ = SpeedTestMetrics.families(.init(state, on: "eth0", at: now + 200_010))
            }
        }
    }
}
