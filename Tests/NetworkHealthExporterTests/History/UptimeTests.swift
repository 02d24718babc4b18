import Foundation
import Lab
import Logging
import NetworkHealth
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct UptimeTests {
    private let start = SuspendingClock.now
    /// 10:00 of a day, by the hour.
    private let ten = 480_010

    private func at(_ seconds: Double) -> SuspendingClock.Instant { start.advanced(by: .seconds(seconds)) }

    /// Seconds since 1970 of a time after 10:00.
    private func clock(_ seconds: Double) -> Double { Double(ten) * 3600 + seconds }

    private func hours(_ hours: [Int64: Double]) -> HourlyUptime { hours.mapValues { Uptime(monitored: $0) } }

    @Test func `each reading adds what is new, to the hour of the clock`() {
        var meter = UptimeMeter()
        let outages = OutageTracker(startedAt: start)
        #expect(meter.take(outages, at: at(0), time: clock(3590)).isEmpty)
        #expect(meter.take(outages, at: at(5), time: clock(3595)) == hours([480_010: 5]))
        #expect(meter.take(outages, at: at(15), time: clock(3605)) == hours([480_010: 5, 480_011: 5]))
        #expect(meter.take(outages, at: at(15), time: clock(3605)).isEmpty)
    }

    @Test func `an outage that is confirmed in the next hour is in the hour of its evidence, too`() {
        var meter = UptimeMeter()
        var outages = OutageTracker(startedAt: start)
        _ = meter.take(outages, at: at(100), time: clock(3600))
        outages.began(.gateway, since: at(80))
        let hours = meter.take(outages, at: at(105), time: clock(3605))
        #expect(hours[480_010] == Uptime(offline: [.gateway: 20]))
        #expect(hours[480_011] == Uptime(monitored: 5, offline: [.gateway: 5]))
        outages.finished(at: at(106))
        #expect(meter.take(outages, at: at(110), time: clock(3610))[480_011]?.offline == [.gateway: 1])
    }

    @Test func `suspend is in no hour, and a clock that is set moves no earlier time`() {
        var meter = UptimeMeter()
        let outages = OutageTracker(startedAt: start)
        _ = meter.take(outages, at: at(5), time: clock(5))
        // Eight hours later by the clock, five seconds of them awake.
        #expect(meter.take(outages, at: at(10), time: clock(28_805)) == hours([480_018: 5]))
        // Back by a year.
        #expect(meter.take(outages, at: at(15), time: clock(10 - 31_536_000)) == hours([480_010 - 8760: 5]))
        #expect(meter.take(outages, at: at(20), time: .nan).isEmpty)
    }

    @Test func `a monitor that was started again counts from 0`() {
        var meter = UptimeMeter()
        _ = meter.take(OutageTracker(startedAt: start), at: at(500), time: clock(500))
        let again = OutageTracker(startedAt: at(500))
        #expect(meter.take(again, at: at(503), time: clock(503)) == hours([480_010: 3]))
    }

    @Test func `an older reading adds nothing, and takes nothing away`() {
        var meter = UptimeMeter()
        var outages = OutageTracker(startedAt: start)
        let before = outages
        outages.began(.link, since: at(5))
        #expect(meter.take(outages, at: at(10), time: clock(10))[480_010] == Uptime(monitored: 10, offline: [.link: 5]))
        #expect(meter.take(before, at: at(9), time: clock(9)).isEmpty)
        #expect(meter.take(outages, at: at(11), time: clock(11))[480_010] == Uptime(monitored: 1, offline: [.link: 1]))
    }

    @Test func `a ratio is of the monitored time, and there is none without it`() {
        #expect(Uptime().ratio == nil)
        #expect(Uptime(monitored: 100).ratio == 1)
        #expect(Uptime(monitored: 100, offline: [.link: 10, .route: 15]).ratio == 0.75)
        // A reading lies between two of the other number.
        #expect(Uptime(monitored: 100, offline: [.link: 101]).ratio == 0)
    }

    @Test func `the last day, week and month are rolling, the days are those of the local calendar`() {
        // 2024-10-04 10:00 UTC, in a zone that is two hours ahead.
        var all = HourlyUptime()
        for age in 0..<2400 { all[Int64(ten - age)] = Uptime(monitored: 3600, offline: age == 30 ? [.link: 36] : [:]) }
        all[Int64(ten + 1)] = Uptime(monitored: 9999)
        let report = UptimeReport(all, now: clock(1800)) { _ in 7200 }
        #expect(report.day == Uptime(monitored: 24 * 3600))
        #expect(report.week == Uptime(monitored: 7 * 86_400, offline: [.link: 36]))
        #expect(report.month.monitored == 30 * 86_400)
        #expect(report.days.count == 90)
        #expect(report.days.map(\.number) == Array(report.days[0].number...report.days[0].number + 89))
        // From 22:00 UTC of the day before.
        #expect(report.days.last == UptimeReport.Day(number: ten / 24, uptime: Uptime(monitored: 13 * 3600)))
        #expect(report.days[88].uptime == Uptime(monitored: 86_400, offline: [.link: 36]))
        #expect(UptimeReport([:], now: clock(0)).days.isEmpty)
        #expect(UptimeReport([:], now: -.infinity).day == Uptime())
    }

    @Test func `hours are added up in the file, also over a restart`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/state.db"
        for _ in 1...2 {
            let database = try Database(file: file, schema: .exporter)
            let recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
            var outages = OutageTracker(startedAt: start)
            recorder.count(nil, at: at(10), time: clock(10))
            recorder.count(outages, at: at(60), time: clock(60))
            await recorder.flush()
            outages.began(.route, since: at(50))
            recorder.count(outages, at: at(70), time: clock(70))
            #expect(try await recorder.uptime(480_010...480_010)[480_010]?.offline[.route].map { Int($0) % 20 } == 0)
            await recorder.finish()
            await database.close()
        }
        let database = try Database(file: file, schema: .exporter)
        let recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
        #expect(try await recorder.uptime(0...480_010) == [480_010: Uptime(monitored: 140, offline: [.route: 40])])
        #expect(try await recorder.uptime(0...480_009).isEmpty)
        await database.close()
    }

    @Test func `a reader beside a writer finds each second once`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
        let outages = OutageTracker(startedAt: start)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                for second in 1...200 {
                    recorder.count(outages, at: at(Double(second)), time: clock(Double(second)))
                    await recorder.flush()
                }
            }
            group.addTask {
                var last = 0.0
                while last < 200 {
                    let seconds = try await recorder.uptime(480_010...480_010)[480_010]?.monitored ?? 0
                    #expect(seconds >= last && seconds <= 200)
                    last = seconds
                }
            }
        }
    }

    @Test func `what waits is bounded, and so is the table, whatever the clock says`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        var backlog = HistoryBacklog()
        for hour in 0..<1100 { backlog.append(HistoryBacklog(hours: hours([Int64(hour): 1]))) }
        #expect(backlog.hours.keys.sorted() == (100..<1100).map(Int64.init))
        try await database.write { transaction in
            var all = HourlyUptime()
            for hour in 0..<2500 { all[Int64(hour)] = Uptime(monitored: 1, offline: [.link: 1]) }
            all[9_000_000] = Uptime(monitored: 1)
            try UptimeHistory.add(all, in: transaction)
            try UptimeHistory.prune(keeping: UptimeHistory.least, in: transaction)
        }
        let left = try await database.read { try UptimeHistory.hours(0...9_000_000, in: $0).keys.sorted() }
        #expect(left == (101..<2500).map(Int64.init) + [9_000_000])
    }

    @Test func `damaged rows and causes of another version are left out`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        let found = try await database.write { transaction in
            for (kind, seconds) in [("monitored", 60.0), ("link", .infinity), ("another", 5)] {
                try transaction.run("INSERT INTO uptime VALUES (7, ?, ?)", [.text(kind), .real(seconds)])
            }
            return try UptimeHistory.hours(7...7, in: transaction)
        }
        #expect(found == hours([7: 60]))
    }
}
