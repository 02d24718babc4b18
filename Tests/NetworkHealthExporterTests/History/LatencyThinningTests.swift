import Foundation
import Lab
import Statistics
import Storage
import StrictYAML
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct LatencyThinningTests {
    /// Begins with an hour.
    private static let start = 1_700_002_800.0

    /// A row for each minute of some hours, with values that differ.
    private static func minutes(_ hours: Int, from start: Double = start) -> [LatencyRow] {
        (0..<hours * 60).map { index in
            LatencyRow(
                at: start + Double(index) * 60,
                p50: 0.01 + Double(index % 60) / 1000,
                p95: 0.02,
                jitter: 0.001,
                loss: index.isMultiple(of: 2) ? 0 : 0.5
            )
        }
    }

    private static func rows(_ database: Database) async throws -> [LatencyRow] {
        try await database.read { try $0.rows("SELECT * FROM latency ORDER BY at").compactMap(LatencyHistory.row) }
    }

    private static func section(perMinute: Double, perHour: Double = 1e9) -> HistorySection {
        HistorySection(retention: DurationText.longest, perMinute: .seconds(perMinute), perHour: .seconds(perHour))
    }

    @Test func `an hour has the medians of its minutes and the mean of their loss, and unknown stays unknown`() {
        let rows = Self.minutes(1) + [LatencyRow(at: Self.start + 3600 + 59 * 60, p50: 1)]
        let hours = LatencyRow.hours(of: rows.reversed())
        #expect(hours.map(\.at) == [Self.start, Self.start + 3600])
        let first = hours[0]
        #expect(abs((first.p50 ?? 0) - 0.0395) < 1e-12 && first.p95 == 0.02 && first.jitter == 0.001)
        #expect(first.loss == 0.25 && first.minutes == 60)
        #expect(hours[1] == LatencyRow(at: Self.start + 3600, p50: 1, minutes: 1))
        #expect(LatencyRow.hours(of: hours) == hours, "hours stay as they are")
        #expect(LatencyRow.hours(of: []).isEmpty)
    }

    @Test(arguments: [(30, nil), (31, 0.5), (1, nil)] as [(Int, Double?)])
    func `the loss of an hour is that of more than half of its minutes, or unknown`(known: Int, loss: Double?) {
        let rows = (0..<60).map {
            LatencyRow(at: Self.start + Double($0) * 60, p50: 0.01, loss: $0 < known ? 0.5 : nil)
        }
        #expect(LatencyRow.hours(of: rows).map(\.loss) == [loss])
    }

    @Test(arguments: [(7199.9, 1), (7200, 2), (10_799.9, 2), (10_800, 3)])
    func `an hour is made of its minutes when all of it is old enough, to the second`(age: Double, hours: Int)
        async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try LatencyHistory.add(Self.minutes(3), in: $0) }
        let retention = HistoryRetention(database: database)
        // A week after the time in question.
        let now = Self.start + age + 7 * 86_400
        for _ in 1...2 {
            try await retention.prune(Self.section(perMinute: 7 * 86_400), at: now)
            let rows = try await Self.rows(database)
            #expect(
                rows.map(\.minutes) == Array(repeating: 60, count: hours)
                    + Array(repeating: nil, count: (3 - hours) * 60)
            )
            #expect(
                rows == LatencyRow.hours(of: Array(Self.minutes(3).prefix(hours * 60)))
                    + Self.minutes(3).dropFirst(hours * 60)
            )
        }
    }

    @Test func `a row is removed when it is older than per_hour, to the second`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try LatencyHistory.add(Self.minutes(2), in: $0) }
        let retention = HistoryRetention(database: database)
        let section = Self.section(perMinute: 3600, perHour: 86_400)
        try await retention.prune(section, at: Self.start + 86_400)
        #expect(try await Self.rows(database).count == 2, "as old as per_hour stays")
        try await retention.prune(section, at: Self.start + 86_401)
        #expect(try await Self.rows(database).map(\.at) == [Self.start + 3600])
    }

    @Test func `a minute that comes after its hour was made changes nothing, and what is no time does not stop it`()
        async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try LatencyHistory.add(Self.minutes(1), in: $0) }
        let retention = HistoryRetention(database: database)
        let now = Self.start + 30 * 86_400
        try await retention.prune(Self.section(perMinute: 3600), at: now)
        let hours = try await Self.rows(database)
        // Of a clock that was set back: the first row of a time stays.
        let late = [LatencyRow(at: Self.start, p50: 9), LatencyRow(at: Self.start + 60, p50: 9)]
        try await database.write { transaction in
            try LatencyHistory.add(late, in: transaction)
            try transaction.run("INSERT INTO latency (at) VALUES (-1e300), (0.5), (-9e999)")
        }
        try await retention.prune(Self.section(perMinute: 3600), at: now)
        let rows = try await Self.rows(database)
        #expect(rows.filter { $0.at == Self.start } == hours && !rows.contains { $0.minutes == nil })
    }

    @Test func `days of minutes become hours a day at a time`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let minutes = Self.minutes(3 * 24)
        try await database.write { transaction in
            try LatencyHistory.add(minutes, in: transaction)
            let end = Self.start + 3 * 86_400
            #expect(try LatencyHistory.thin(before: end, in: transaction))
            let left = try transaction.rows("SELECT at FROM latency WHERE minutes IS NULL").count
            #expect(left == 2 * 1440)
            while try LatencyHistory.thin(before: end, in: transaction) {}
        }
        #expect(try await Self.rows(database) == LatencyRow.hours(of: minutes))
    }

    /// In a process of its own, which is killed while it thins two months: every minute is there, or its hour.
    @Test func `SIGKILL during the thinning loses nothing, at any of some instants`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("exporter.db")
        let database = try Database(file: file, schema: .exporter)
        let minutes = Self.minutes(60 * 24)
        try await database.write { try LatencyHistory.add(minutes, in: $0) }
        await database.close()
        let expected = LatencyRow.hours(of: minutes)
        var states: Set<Int> = []
        for delay in [0, 500, 1000, 2000, 4000] as [UInt32] {
            await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as String, delay = delay as UInt32] in
                let database = try Database(file: file, schema: .exporter)
                // One day, so that the kill comes after the begin.
                _ = try await database.write { try LatencyHistory.thin(before: 1_800_000_000, in: $0) }
                Thread.detachNewThread {
                    // The instant is what is tested.
                    usleep(delay)
                    kill(getpid(), SIGKILL)
                }
                let section = HistorySection(retention: DurationText.longest, perHour: DurationText.longest)
                try await HistoryRetention(database: database).prune(section, at: 1_800_000_000)
                // It is killed here at the latest.
                try await Task.sleep(for: .seconds(60))
            }
            let killed = try Database(file: file, schema: .exporter)
            let rows = try await Self.rows(killed)
            #expect(LatencyRow.hours(of: rows) == expected, "killed after \(delay) µs")
            states.insert(rows.count)
            await killed.close()
        }
        print("rows after kills during the thinning: \(states.sorted())")
        #expect(states.contains { $0 > expected.count && $0 < minutes.count }, "no kill met the thinning")
    }

    /// A kill leaves the files as they are at that moment: a copy of them, opened, has every minute or its hour.
    @Test func `a kill at any statement of the thinning loses nothing`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/exporter.db"
        let database = try Database(file: file, schema: .exporter)
        let minutes = Self.minutes(24)
        try await database.write { try LatencyHistory.add(minutes, in: $0) }
        @Sendable func copy(_ name: String) throws {
            for end in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file + end, toPath: "\(folder.path)/\(name)\(end)")
            }
        }
        try await database.write { transaction in
            #expect(try LatencyHistory.thin(before: Self.start + 86_400, in: transaction))
            // More than SQLite keeps in memory, so that it has written uncommitted pages.
            try transaction.run("UPDATE latency SET p50 = p50")
            try copy("before.db")
        }
        try copy("after.db")
        await database.close()
        for (name, expected) in [("before.db", minutes), ("after.db", LatencyRow.hours(of: minutes))] {
            let copied = try Database(file: "\(folder.path)/\(name)", schema: .exporter)
            #expect(try await Self.rows(copied) == expected, "\(name)")
            await copied.close()
        }
    }
}
