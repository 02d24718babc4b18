import Foundation
import NetworkHealth
import SpeedTestCore
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HistoryRetentionTests {
    private func count(_ table: String, in database: Database) async throws -> Int {
        try await database.read { try $0.rows("SELECT * FROM \"\(table)\"").count }
    }

    @Test func `what is older goes, batch by batch, and what is not stays`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { transaction in
            let minutes = (0..<1000).map { LatencyRow(at: Double($0) * 60) }
            try LatencyHistory.add(minutes, in: transaction)
            let transitions = (0..<1000).map { index in
                var row = Transition(.online())
                row.at = Double(index) * 60
                return row
            }
            try TransitionHistory.add(transitions, in: transaction)
        }
        let retention = HistoryRetention(database: database, batch: 70)
        let hour = HistorySection(retention: .seconds(3600), perMinute: .seconds(7200))
        try await retention.prune(hour, at: 33_600)
        #expect(try await count("latency", in: database) == 500)
        #expect(try await count("transition", in: database) == 500)
        let first = try await database.read { try $0.rows("SELECT min(at) FROM latency")[0][0].real }
        #expect(first == 30_000)
        // A clock that is far behind, and one that is far ahead.
        try await retention.prune(hour, at: -1e300)
        #expect(try await count("latency", in: database) == 500)
        try await retention.prune(hour, at: .infinity)
        #expect(try await count("latency", in: database) == 0)
    }

    @Test func `the newest good test of each server stays, whatever its age`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let history = SpeedTestHistory(database: database)
        var other = SpeedTestServer.home
        other.name = "other"
        var latencyOnly = SpeedTestReport.good(at: 5000)
        latencyOnly.isLatencyOnly = true
        for report in [
            SpeedTestReport.good(at: 1000), .good(at: 2000), .good(at: 3000, server: other), .failed(at: 4000),
            latencyOnly, .failed(at: 9000),
        ] {
            try await history.add(report)
        }
        try await HistoryRetention(database: database, batch: 2)
            .prune(HistorySection(retention: .seconds(3600)), at: 12_600)
        let left = try await history.load().reports.map {
            "\($0.server) \($0.startedAt.timeIntervalSince1970)"
        }
        #expect(left == ["home 2000.0", "other 3000.0", "home 9000.0"])
    }

    @Test(arguments: [("transition", 3600.0, 2), ("transition", 3600.1, 1), ("gap", 3600, 2), ("gap", 3600.1, 1)])
    func `a row as old as the retention stays, and an older one goes`(table: String, age: Double, left: Int)
        async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { transaction in
            let rows = [1000.0, 1001].map { at in
                var row = Transition(.online())
                row.at = at
                return row
            }
            try TransitionHistory.add(rows, in: transaction)
            try GapHistory.add(rows.map { DatedGap(start: $0.at - 5, end: $0.at) }, in: transaction)
        }
        try await HistoryRetention(database: database).prune(HistorySection(retention: .seconds(3600)), at: 1000 + age)
        #expect(try await count(table, in: database) == left)
    }

    @Test(arguments: [(2399, 2399), (2400, 2400), (2401, 2400)])
    func `at least 2400 hours of uptime stay, however old they are`(hours: Int64, left: Int) async throws {
        let database = try Database(file: nil, schema: .exporter)
        let uptime = HourlyUptime(uniqueKeysWithValues: (0..<hours).map { ($0, Uptime(monitored: 3600)) })
        try await database.write { try UptimeHistory.add(uptime, in: $0) }
        try await HistoryRetention(database: database).prune(HistorySection(perHour: .seconds(3600)), at: 1e12)
        #expect(try await count("uptime", in: database) == left)
        let oldest = try await database.read { try $0.rows("SELECT min(hour) FROM uptime")[0][0].integer }
        #expect(oldest == hours - Int64(left))
    }

    @Test func `the newest row is that of any table`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let retention = HistoryRetention(database: database)
        #expect(try await retention.newest() == nil)
        try await database.write { try LatencyHistory.add([LatencyRow(at: 120), LatencyRow(at: 60)], in: $0) }
        #expect(try await retention.newest() == 120)
        try await SpeedTestHistory(database: database).add(.good(at: 5000))
        #expect(try await retention.newest() == 5000)
        var transition = Transition(.online())
        transition.at = 6000
        try await database.write { [transition] in try TransitionHistory.add([transition], in: $0) }
        #expect(try await retention.newest() == 6000)
    }

    @Test func `the oldest rows beyond the limit of a table go, whatever their age, and the last good tests stay`()
        async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { transaction in
            try GapHistory.add((0..<10).map { DatedGap(start: Double($0), end: Double($0) + 1) }, in: transaction)
            #expect(try GapHistory.prune(beyond: 4, batch: 5, in: transaction) == 5)
            #expect(try GapHistory.prune(beyond: 4, batch: 5, in: transaction) == 1)
            #expect(try GapHistory.prune(beyond: 4, batch: 5, in: transaction) == 0)
            #expect(try transaction.rows("SELECT at FROM gap").map { $0[0].real } == [7, 8, 9, 10])
        }
        let history = SpeedTestHistory(database: database)
        for report in [SpeedTestReport.good(at: 1000), .failed(at: 2000), .failed(at: 3000)] {
            try await history.add(report)
        }
        #expect(try await database.write { try SpeedTestHistory.prune(beyond: 1, batch: 5, in: $0) } == 1)
        #expect(try await history.load().reports.map(\.startedAt.timeIntervalSince1970) == [1000, 3000])
    }

    @Test func `thirteen months of a connection take less than 50 MB, with every table at its limit`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let retention = HistoryRetention(database: database)
        let empty = try #require(await retention.bytes())
        // A hundredth of each limit.
        try await database.write { transaction in
            var row = Transition(.offline())
            (row.outageCause, row.outageSeconds) = ("no_internet", 123.456)
            let transitions = (0..<TransitionHistory.limit / 100).map { index in
                row.at = 1_700_000_000.123 + Double(index) * 60
                return row
            }
            try TransitionHistory.add(transitions, in: transaction)
            let gaps = (0..<GapHistory.limit / 100).map { DatedGap(start: Double($0), end: Double($0) + 1.5) }
            try GapHistory.add(gaps, in: transaction)
            let uplinkOutages = (0..<UplinkOutageHistory.limit / 100).map { index in
                let end = 1_700_000_000.123 + Double(index) * 60
                let outage = DatedOutage(.noInternet, .unknown, until: end, seconds: 123.456)
                return UplinkOutageRow(uplink: "eth0 192.0.2.101", outage: outage, seconds: 123.456)
            }
            try UplinkOutageHistory.add(uplinkOutages, in: transaction)
            // 13 months by the hour, and a week by the minute.
            let hours = (0..<96).map {
                LatencyRow(
                    at: Double($0) * 3600,
                    p50: 0.1 / 3,
                    p95: 0.2 / 3,
                    jitter: 1e-3 / 3,
                    loss: 0.1 / 3,
                    minutes: 60
                )
            }
            let minutes = (0..<101).map {
                LatencyRow(at: 1e9 + Double($0) * 60, p50: 0.1 / 3, p95: 0.2 / 3, jitter: 1e-3 / 3, loss: 0.1 / 3)
            }
            try LatencyHistory.add(hours + minutes, in: transaction)
            // A hundredth of its limit, as eight points have it.
            let points = (0..<PointHistory.limit / 100).map {
                PointRow(
                    at: 1e9 + Double($0 / 8) * 1800,
                    point: "hop \($0 % 8) ipv4",
                    median: 0.1 / 3,
                    lost: 3,
                    probes: 360,
                    seconds: 1800
                )
            }
            try PointHistory.add(points, in: transaction)
            let uptime = Uptime(monitored: 3599.9, offline: [.link: 1.23, .dnsBroken: 0.5])
            try UptimeHistory.add(
                HourlyUptime(uniqueKeysWithValues: (472_000..<472_096).map { ($0, uptime) }),
                in: transaction
            )
        }
        for index in 0..<SpeedTestHistory.limit / 100 {
            try await SpeedTestHistory(database: database).add(.good(at: 1_700_000_000 + Double(index) * 3600))
        }
        let bytes = try #require(await retention.bytes()) - empty
        print("the history at its limits: \(bytes * 100) bytes")
        #expect(bytes > 100_000 && bytes * 100 < 50_000_000, "\(bytes * 100) bytes")
    }
}
