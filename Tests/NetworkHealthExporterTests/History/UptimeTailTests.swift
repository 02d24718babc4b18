import NetworkHealth
import Statistics
import Storage
import Testing

@testable import NetworkHealthExporter

/// What a killed process leaves beside its file: when it is added, and when it is not.
struct UptimeTailTests {
    private let stored: HourlyUptime = [100: Uptime(monitored: 120.5, offline: [.route: 3.25])]
    private let more: HourlyUptime = [
        100: Uptime(monitored: 7.125, offline: [.noInternet: 2]), 101: Uptime(monitored: 1),
    ]

    private func database(_ hours: HourlyUptime) async throws -> Database {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try UptimeHistory.add(hours, in: $0) }
        return database
    }

    private func hours(of database: Database) async throws -> HourlyUptime {
        try await database.read { try UptimeHistory.hours(0...1000, in: $0) }
    }

    @Test func `what follows the stored hours is added once`() async throws {
        let tail = try #require(UptimeTail(UptimeTail(more, after: stored).bytes))
        #expect(tail == UptimeTail(more, after: stored))
        let database = try await database(stored)
        for _ in 1...2 { try await database.write { try tail.credit(in: $0) } }
        let sum = Uptime(monitored: 127.625, offline: [.route: 3.25, .noInternet: 2])
        #expect(try await hours(of: database) == [100: sum, 101: Uptime(monitored: 1)])
    }

    @Test func `beside another file, or one that was written since, it is not added`() async throws {
        let tail = UptimeTail(more, after: stored)
        var others: [HourlyUptime] = [[:], stored, stored]
        others[1][100]?.monitored += 0.001
        others[2][101] = Uptime(monitored: 1)
        for other in others {
            let database = try await database(other)
            try await database.write { try tail.credit(in: $0) }
            #expect(try await hours(of: database) == other)
        }
    }

    @Test func `the ongoing outage is longer by its seconds`() async throws {
        let database = try await database(stored)
        try await database.write { transaction in
            try transaction.run("INSERT INTO ongoing_outage VALUES ('no_internet', 360000, 20, 'unknown')")
            try UptimeTail(more, after: stored).credit(in: transaction)
        }
        let row = try await database.read { try $0.rows("SELECT * FROM ongoing_outage").first }
        #expect(row?["at"].real == 360_002 && row?["seconds"].real == 22)
    }

    @Test(arguments: [3600, 3600.000001, 7200]) func `an hour that was counted whole is read, and also twice`(
        seconds: Double
    ) {
        let tail = UptimeTail([100: Uptime(monitored: seconds, offline: [.route: seconds])], after: [:])
        #expect(UptimeTail(tail.bytes) == tail)
    }

    @Test func `what cannot be added yet waits with what completes the history`() async throws {
        let tail = UptimeTail(more, after: stored)
        var offline = Transition(.offline())
        offline.outageCause = "no_internet"
        let database = try await database(stored)
        try await database.write { [offline] transaction in
            try TransitionHistory.add([offline], in: transaction)
            try transaction.run("INSERT INTO ongoing_outage VALUES ('no_internet', 360000, 20, 'unknown')")
        }
        let backlog = try await database.read { try HistoryBacklog.interrupted(in: $0, after: tail) }
        #expect(backlog.hours == more)
        #expect(backlog.transitions.map(\.at) == [360_002] && backlog.transitions.map(\.outageSeconds) == [22])
        let other = try await self.database([:])
        #expect(try await other.read { try HistoryBacklog.interrupted(in: $0, after: tail) }.isEmpty)
    }

    @Test func `a shorter one is read where a longer one was`() throws {
        let (long, short) = (UptimeTail(more, after: stored).bytes, UptimeTail([7: Uptime(monitored: 2)], after: [:]))
        #expect(UptimeTail(short.bytes + long.dropFirst(short.bytes.count)) == short)
    }

    @Test(arguments: [
        "", "\n", "\n\n", "100 monitored 1 2", "100 monitored 1 2\n", "100 monitored 1\n\n", "100 monitored 1 2 3\n\n",
        "100 monitored 1 -2\n\n", "100 monitored -1 2\n\n", "100 monitored 1 1000001\n\n", "100 monitored 1 nan\n\n",
        "100 monitored inf 1\n\n", "100 rain 1 2\n\n", "99999999999999999999 monitored 1 2\n\n", "x monitored 1 2\n\n",
        "\0\0\0\0", "100 monitored 1 2\n100  1 2\n\n",
    ]) func `anything else is nothing`(text: String) {
        #expect(UptimeTail(Array(text.utf8)) == nil)
    }

    @Test func `no bytes end the process`() {
        var random = SystemRandomNumberGenerator()
        let valid = UptimeTail(more, after: stored).bytes
        for _ in 0..<5000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = UptimeTail(bytes)?.bytes
        }
    }
}
