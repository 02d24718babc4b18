import Foundation
import NetworkHealth
import SpeedTestCore
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(1))) struct HistoryRetentionTests {
    private func count(_ table: String, in database: Database) async throws -> Int {
        try await database.read { try $0.rows("SELECT * FROM \"\(table)\"").count }
    }

    @Test func `what is older goes, batch by batch, and what is not stays`() async throws {
        let database = try Database(file: nil, migrations: Migrations.all)
        try await database.write { transaction in
            let minutes = (0..<1000).map { MinuteLatency(at: Double($0) * 60) }
            try LatencyHistory.add(minutes, in: transaction)
            let transitions = (0..<1000).map { index in
                var row = Transition(.online())
                row.at = Double(index) * 60
                return row
            }
            try TransitionHistory.add(transitions, in: transaction)
        }
        let retention = HistoryRetention(database: database, batch: 70)
        try await retention.prune(before: 30_000)
        #expect(try await count("latency", in: database) == 500)
        #expect(try await count("transition", in: database) == 500)
        let first = try await database.read { try $0.rows("SELECT min(at) FROM latency")[0][0].real }
        #expect(first == 30_000)
        // A clock that is far behind, and one that is far ahead.
        try await retention.prune(before: -1e300)
        #expect(try await count("latency", in: database) == 500)
        try await retention.prune(before: .infinity)
        #expect(try await count("latency", in: database) == 0)
    }

    @Test func `the newest good test of each server stays, whatever its age`() async throws {
        let database = try Database(file: nil, migrations: Migrations.all)
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
        try await HistoryRetention(database: database, batch: 2).prune(before: 9000)
        let left = try await history.load().reports.map {
            "\($0.server) \($0.startedAt.timeIntervalSince1970)"
        }
        #expect(left == ["home 2000.0", "other 3000.0", "home 9000.0"])
    }

    @Test func `the newest row is that of any table`() async throws {
        let database = try Database(file: nil, migrations: Migrations.all)
        let retention = HistoryRetention(database: database)
        #expect(try await retention.newest() == nil)
        try await database.write { try LatencyHistory.add([MinuteLatency(at: 120), MinuteLatency(at: 60)], in: $0) }
        #expect(try await retention.newest() == 120)
        try await SpeedTestHistory(database: database).add(.good(at: 5000))
        #expect(try await retention.newest() == 5000)
        var transition = Transition(.online())
        transition.at = 6000
        try await database.write { [transition] in try TransitionHistory.add([transition], in: $0) }
        #expect(try await retention.newest() == 6000)
    }
}
