import Foundation
import Lab
import NetworkHealth
import SpeedTestCore
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HistoryFormatTests {
    private let database: Database

    init() throws { database = try Database(file: nil, schema: .exporter) }

    private func text<Table: HistoryTable>(
        _ table: Table.Type,
        _ format: HistoryFormat,
        since: Double = 0,
        waiting: [Table.Row] = []
    ) async throws -> String {
        var bytes: [UInt8] = []
        let pages = try await HistoryPages(table, of: database, since: since, waiting: { waiting })
        try await format.print(pages) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let minutes = [
        LatencyRow(at: 1_700_000_040, p50: 0.02, p95: 0.1, jitter: 0.001, loss: 0),
        LatencyRow(at: 1_700_000_100, p50: 1e-5),
    ]

    private func add(_ minutes: [LatencyRow]) async throws {
        try await database.write { try LatencyHistory.add(minutes, in: $0) }
    }

    private func add(_ transitions: [Transition]) async throws {
        try await database.write { try TransitionHistory.add(transitions, in: $0) }
    }

    @Test func `nothing is an empty array, a header, an end`() async throws {
        func check<Table: HistoryTable>(_ table: Table.Type) async throws {
            #expect(try await text(table, .json) == "[]")
            #expect(try await text(table, .csv) == Table.Row.columns.joined(separator: ",") + "\r\n")
            #expect(try await text(table, .openmetrics) == "# EOF\n")
        }
        try await check(TransitionHistory.self)
        try await check(LatencyHistory.self)
        try await check(SpeedTestHistory.self)
    }

    @Test func `latency is in seconds in each form, and what was not measured is null, empty or absent`() async throws {
        try await add(Self.minutes)
        #expect(
            try await text(LatencyHistory.self, .json) == """
                [{"at":"2023-11-14T22:14:00Z","jitter":0.001,"loss":0,"minutes":1,"p50":0.02,"p95":0.1,"seconds":60},\
                {"at":"2023-11-14T22:15:00Z","jitter":null,"loss":null,"minutes":1,"p50":1e-05,"p95":null,"seconds":60}]
                """
        )
        #expect(
            try await text(LatencyHistory.self, .csv)
                == "at,p50,p95,jitter,loss,seconds,minutes\r\n2023-11-14T22:14:00Z,0.02,0.1,0.001,0.0,60,1\r\n2023-11-14T22:15:00Z,1e-05,,,,60,1\r\n"
        )
        let lines = try await text(LatencyHistory.self, .openmetrics).split(separator: "\n")
        #expect(
            lines.filter { !$0.hasPrefix("# HELP") } == [
                "# TYPE network_health_latency_seconds gauge", "network_health_latency_seconds 0.02 1700000040",
                "network_health_latency_seconds 1e-05 1700000100",
                "# TYPE network_health_jitter_seconds gauge", "network_health_jitter_seconds 0.001 1700000040",
                "# TYPE network_health_loss_ratio gauge", "network_health_loss_ratio 0 1700000040",
                "# TYPE network_health_latency_p95_seconds gauge", "network_health_latency_p95_seconds 0.1 1700000040",
                "# EOF",
            ]
        )
    }

    @Test func `latency has the digits that were measured`() async throws {
        try await add([LatencyRow(at: 60, p50: 0.1 / 3, p95: 0.2 / 3, jitter: 1e-3 / 3, loss: 1.0 / 3)])
        #expect(
            try await text(LatencyHistory.self, .json) == """
                [{"at":"1970-01-01T00:01:00Z","jitter":0.000333,"loss":0.33333,"minutes":1,"p50":0.033333,"p95":0.066667,"seconds":60}]
                """
        )
        let csv = try await text(LatencyHistory.self, .csv)
        #expect(csv.hasSuffix("\r\n1970-01-01T00:01:00Z,0.033333,0.066667,0.000333,0.33333,60,1\r\n"))
    }

    @Test func `the row of an hour has its length and the number of its minutes`() async throws {
        try await add([LatencyRow(at: 7200, p50: 0.02, minutes: 59)])
        #expect(
            try await text(LatencyHistory.self, .json) == """
                [{"at":"1970-01-01T02:00:00Z","jitter":null,"loss":null,"minutes":59,"p50":0.02,"p95":null,"seconds":3600}]
                """
        )
        #expect(try await text(LatencyHistory.self, .csv).hasSuffix("\r\n1970-01-01T02:00:00Z,0.02,,,,3600,59\r\n"))
    }

    @Test func `transitions in each form, whatever a device is called`() async throws {
        var first = Transition(.online())
        (first.at, first.online, first.interfaceName) = (1_700_000_000.5, nil, "a,\"b\"\u{301}\r\n")
        var second = Transition(.offline())
        second.at = 1_700_000_001.25
        (second.outageCause, second.outageSeconds, second.outageLocation) = ("route", 1.5, "host")
        try await add([first, second])
        #expect(
            try await text(TransitionHistory.self, .json) == """
                [{"at":"2023-11-14T22:13:20.500Z","connectionType":"wifi","interfaceName":"a,\\"b\\"\u{301}\\r\\n",\
                "internetState":null,"online":null,"outageCause":null,"outageLocation":null,"outageSeconds":null,\
                "quality":"\(first.quality)","status":"connected","unsatisfiedReason":null},\
                {"at":"2023-11-14T22:13:21.250Z","connectionType":"unknown","interfaceName":null,\
                "internetState":null,"online":false,"outageCause":"route","outageLocation":"host","outageSeconds":1.5,\
                "quality":"offline","status":"disconnected","unsatisfiedReason":"no_route"}]
                """
        )
        let csv = try await text(TransitionHistory.self, .csv)
        #expect(
            csv.hasSuffix(
                "2023-11-14T22:13:20.500Z,,connected,,,\"a,\"\"b\"\"\u{301}\r\n\",wifi,\(first.quality),,,\r\n"
                    + "2023-11-14T22:13:21.250Z,false,disconnected,no_route,,,unknown,offline,route,1.5,host\r\n"
            )
        )
        let lines = try await text(TransitionHistory.self, .openmetrics).split(separator: "\n")
        #expect(
            lines.filter { !$0.hasPrefix("#") } == [
                "network_health_online 0 1700000001.250", "network_health_connected 1 1700000000.500",
                "network_health_connected 0 1700000001.250",
            ]
        )
    }

    @Test func `speed tests are their own documents with their uplink, and the lines of each series are together`()
        async throws
    {
        let history = SpeedTestHistory(database: database)
        var other = SpeedTestServer.home
        other.name = "other"
        let reports = [
            SpeedTestReport.good(at: 1_700_000_000), .good(at: 1_700_000_100, server: other),
            .failed(at: 1_700_000_200), .good(at: 1_700_000_300),
        ]
        for report in reports { try await history.add(report) }
        let documents = reports.map {
            String(decoding: JSONDocument.encode(StoredSpeedTest(report: $0)), as: UTF8.self)
        }
        #expect(documents.allSatisfy { $0.contains(#""uplink":"eth0","#) })
        #expect(try await text(SpeedTestHistory.self, .json) == "[\(documents.joined(separator: ","))]")
        let rows = try await text(SpeedTestHistory.self, .csv).split(separator: "\r\n")
        #expect(
            rows.count == 5
                && rows[0].hasPrefix("server,uplink,protocol,host,startedAt,durationSeconds,pingLatencySeconds")
        )
        #expect(Set(rows.map { $0.count { $0 == "," } }) == [SpeedTestReport.columns.count - 1])
        #expect(
            rows[1].hasPrefix(
                "home,eth0,speedlab,198.18.0.1:10319,2023-11-14T22:13:20Z,12.5,0.02,0.001,100.0,50000000,4.0,0.08,"
            )
        )
        let text = try await text(SpeedTestHistory.self, .openmetrics)
        let speeds = text.split(separator: "\n").filter { $0.hasPrefix("network_health_speedtest_download_bytes") }
        let name = "network_health_speedtest_download_bytes_per_second"
        #expect(
            speeds == [
                "\(name){server=\"home\",uplink=\"eth0\"} 12500000 1700000012.500",
                "\(name){server=\"home\",uplink=\"eth0\"} 12500000 1700000312.500",
                "\(name){server=\"other\",uplink=\"eth0\"} 12500000 1700000112.500",
            ]
        )
        let up = text.split(separator: "\n").filter { $0.hasPrefix("network_health_speedtest_success{server=\"home\"") }
        #expect(up.map { $0.split(separator: " ")[1] } == ["1", "0", "1"])
    }

    @Test func `no series goes backwards or has two values at one time`() async throws {
        var rows = [HealthState.online(), .offline(), .online()].map(Transition.init)
        (rows[0].at, rows[1].at, rows[2].at) = (10, 10, 20)
        try await add(rows)
        let lines = try await text(TransitionHistory.self, .openmetrics).split(separator: "\n")
        #expect(
            lines.filter { $0.hasPrefix("network_health_online") } == [
                "network_health_online 0 10", "network_health_online 1 20",
            ]
        )
        var early = Transition(.offline())
        early.at = 15
        let late = try await text(TransitionHistory.self, .openmetrics, waiting: [early])
        #expect(!late.contains(" 15\n"))
    }

    @Test(arguments: HistoryFormat.allCases) func `pages join to one answer, with what waits at its end`(
        format: HistoryFormat
    )
        async throws
    {
        let minutes = (0..<1234).map { LatencyRow(at: Double($0) * 60, p50: 1) }
        try await add(Array(minutes.dropLast(2)))
        let inParts = try await text(LatencyHistory.self, format, waiting: minutes.suffix(4))
        try await add(minutes)
        #expect(try await text(LatencyHistory.self, format) == inParts)
        let separator = format == .json ? "}" : format == .csv ? "\r\n" : "\n"
        #expect(inParts.split(separator: separator).count == [.json: 1235, .csv: 1235, .openmetrics: 1237][format])
    }

    @Test func `rows of the same time are on one page or the next, and not on both`() async throws {
        var row = Transition(.online())
        let rows = (0..<1100).map { index in
            (row.at, row.interfaceName) = (5, "\(index)")
            return row
        }
        try await add(rows)
        var found: [String?] = []
        try await HistoryPages(TransitionHistory.self, of: database, since: 5).each { found += $0.map(\.interfaceName) }
        #expect(found == (0..<1100).map { "\($0)" })
        #expect(try await text(TransitionHistory.self, .json, since: 5.001, waiting: rows) == "[]")
    }

    @Test func `invalid values of a damaged file are unknown, and do not trap`() async throws {
        try await database.write { transaction in
            try transaction.run(
                "INSERT INTO latency (at, p50, p95, jitter, loss) VALUES (1e300, 9e999, -9e999, 1, 1), (60, 9e999, 1, 1, 1)"
            )
            try transaction.run(
                "INSERT INTO \"transition\" (at, online, status, type, quality) VALUES (1e300, 7, 'x', 'y', 'z')"
            )
        }
        #expect(
            try await text(LatencyHistory.self, .json) == """
                [{"at":"1970-01-01T00:01:00Z","jitter":1,"loss":1,"minutes":1,"p50":null,"p95":1,"seconds":60},\
                {"at":"9999-12-31T23:59:59Z","jitter":1,"loss":1,"minutes":1,"p50":null,"p95":null,"seconds":60}]
                """
        )
        for format in HistoryFormat.allCases { _ = try await text(TransitionHistory.self, format) }
        #expect(!(try await text(LatencyHistory.self, .openmetrics)).contains("inf"))
    }
}
