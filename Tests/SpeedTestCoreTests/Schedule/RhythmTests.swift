import FoundationEssentials
import Glibc
import SpeedTestCore
import Statistics
import Testing

/// Gaps between runs, in Europe/Berlin where clocks matter.
@Suite struct RhythmTests {
    init() { Berlin.zone }

    @Test func `10,000 memoryless gaps fit an exponential clamped, not redrawn, at both ends`() async throws {
        let (mean, lower, upper) = (21_600.0, 2160.0, 54_000.0)
        var simulation = Simulation(SpeedTestSchedule(), now: try utc("2026-01-01 00:00"))
        var previous = await simulation.nextStart().start
        var gaps: [Double] = []
        for _ in 0..<10_000 {
            let start = await simulation.nextStart().start
            // A Date of our days is exact to a quarter of a microsecond.
            gaps.append((start.timeIntervalSince(previous) * 1000).rounded() / 1000)
            previous = start
        }
        gaps.sort()
        #expect(gaps.first == lower)
        #expect(gaps.last == upper)

        // Kolmogorov and Smirnov: the greatest distance of both distribution functions, at and just below each value,
        // since the ends have a mass of their own: 9.5 % and 8.2 %.
        func below(_ gap: Double) -> Double { gap <= lower ? 0 : 1 - exp(-gap / mean) }
        func upTo(_ gap: Double) -> Double { gap >= upper ? 1 : 1 - exp(-gap / mean) }
        var distance = 0.0
        var index = 0
        while index < gaps.count {
            let end = gaps[index...].firstIndex { $0 > gaps[index] } ?? gaps.count
            distance = max(distance, abs(Double(index) / 10_000 - below(gaps[index])))
            distance = max(distance, abs(Double(end) / 10_000 - upTo(gaps[index])))
            index = end
        }
        #expect(distance < 1.63 / 100, "the 1 % level of 10,000 samples")  // 1.63 / √10,000
    }

    @Test func `an interval keeps its grid, however late its runs are`() throws {
        let start = try utc("2026-01-01 00:00")
        var simulation = Simulation(.every(.seconds(3600)), now: start)
        #expect(simulation.scheduler.nextRun == start + 600)
        for run in 0..<5 {
            let late = start + 600 + Double(run) * 3600 + 300
            #expect(simulation.decide(at: late) == .run(latencyOnly: false))
            simulation.start(at: late)
            #expect(simulation.scheduler.nextRun == late + 3300)
        }
        // Also through a restart, by what was remembered.
        var restarted = Simulation(
            .every(.seconds(3600)),
            memory: simulation.scheduler.memory,
            now: simulation.now + 1
        )
        restarted.start(at: restarted.scheduler.nextRun + 1000)
        #expect(restarted.scheduler.nextRun == start + 600 + 6 * 3600)
    }

    @Test func `jitter delays intervals and cron evenly, and does not shift their grid`() async throws {
        var schedule = SpeedTestSchedule.every(.seconds(3600))
        schedule.jitter = .seconds(300)
        let start = try utc("2026-01-01 00:00")
        for schedule in [schedule, try .cron("10 * * * *", jitter: .seconds(300))] {
            var simulation = Simulation(schedule, now: start)
            var delays: [Double] = []
            for run in 0..<1000 {
                delays.append(await simulation.nextStart().start.timeIntervalSince(start + 600) - Double(run) * 3600)
            }
            // cron has no time at the end of the first ten minutes, but an hour later.
            let offset = schedule.rhythm == .interval(.seconds(3600)) ? 0.0 : 3600
            #expect(delays.allSatisfy { (0...300).contains($0 - offset) })
            let mean = delays.reduce(0, +) / 1000 - offset
            #expect(abs(mean - 150) < 10)
        }
    }

    @Test func `cron runs on its times`() async throws {
        var simulation = Simulation(try .cron("30 2 * * *"), now: try utc("2026-03-28 12:00"))
        #expect(await simulation.nextStart().start == (try utc("2026-03-29 01:00")))
        #expect(await simulation.nextStart().start == (try utc("2026-03-30 00:30")))
    }

    private struct Longest {
        var schedule: SpeedTestSchedule
        var windows: [String] = []
        var seconds: Int
    }

    @Test func `the longest gap is the rhythm's, longer with windows`() async throws {
        let hourly = SpeedTestSchedule.every(.seconds(3600))
        let cases: [Longest] = [
            Longest(schedule: SpeedTestSchedule(), seconds: 54_000),
            Longest(schedule: hourly, seconds: 3600),
            // min_gap leaves out every second, or every third one.
            Longest(schedule: .every(.seconds(300)), seconds: 600),
            Longest(schedule: .every(.seconds(420)), seconds: 840),
            Longest(schedule: .every(.seconds(1_000_000_000_000_000)), seconds: 883_612_800),
            Longest(schedule: try .cron("17 */6 * * *"), seconds: 21_600),
            Longest(schedule: try .cron("17 */6 * * *", jitter: .seconds(300)), seconds: 21_900),
            Longest(schedule: try .cron("0 8,20 * * mon-fri"), seconds: 216_000),
            Longest(schedule: try .cron("0 0 1 * *"), seconds: 2_678_400),
            Longest(schedule: try .cron("0 0 29 2 *"), seconds: 126_230_400),
            Longest(schedule: try .cron("* * * * *"), seconds: 660),
            // Over the weekend, over a night.
            Longest(schedule: hourly, windows: ["Mon-Fri 08:00-20:00"], seconds: 219_600),
            Longest(schedule: hourly, windows: ["Mon-Fri 08:00-20:00", "Sat,Sun 00:00-24:00"], seconds: 46_800),
            Longest(schedule: hourly, windows: ["00:00-24:00"], seconds: 3600),
            Longest(schedule: SpeedTestSchedule(), windows: ["08:00-20:00"], seconds: 86_700),
        ]
        for each in cases {
            var schedule = each.schedule
            schedule.windows = try each.windows.map { try WeeklyWindow($0) }
            #expect(schedule.longestGap() == .seconds(each.seconds), "\(each)")
            await Task.yield()
        }
    }

    @Test func `runs stay in their windows, and no gap is longer than the longest`() async throws {
        let schedules: [SpeedTestSchedule] = [
            SpeedTestSchedule(), .every(.seconds(3600)), .every(.seconds(300)), try .cron("17 */6 * * *"),
            try .cron("0 3 * * mon,thu", jitter: .seconds(300)),
        ]
        for schedule in schedules { try await staysInWindows(schedule) }
    }

    private func staysInWindows(_ schedule: SpeedTestSchedule) async throws {
        var schedule = schedule
        schedule.windows = [try WeeklyWindow("Mon-Fri 08:00-20:00"), try WeeklyWindow("Sat 22:00-06:00")]
        // The same, said by cron.
        let open = [
            try CronExpression("* 8-19 * * 1-5"), try CronExpression("* 22-23 * * 6"),
            try CronExpression("* 0-5 * * 0"),
        ]
        let longest = schedule.longestGap().seconds
        var simulation = Simulation(schedule, now: try utc("2026-01-01 00:00"))
        var previous = await simulation.nextStart().start
        var greatest = 0.0
        for _ in 0..<200 {
            let start = await simulation.nextStart().start
            let minute = Date(timeIntervalSince1970: (start.timeIntervalSince1970 / 60).rounded(.down) * 60)
            let isOpen = open.contains { $0.next(after: minute - 1) == minute }
            #expect(isOpen, "\(start)")
            greatest = max(greatest, start.timeIntervalSince(previous))
            previous = start
        }
        // In autumn clocks show one hour twice.
        #expect(greatest <= longest + 3600)
        #expect(greatest > longest * 0.7)
    }

    @Test func `runs are spread after the opening of a window`() async throws {
        var schedule = SpeedTestSchedule()
        schedule.windows = [try WeeklyWindow("Mon 08:00-09:00")]
        var simulation = Simulation(schedule, now: try utc("2026-01-01 00:00"))
        var delays: Set<Double> = []
        for week in 0..<100 {
            let opening = try utc("2026-01-05 07:00") + Double(week) * 7 * 86_400
            delays.insert(await simulation.nextStart().start.timeIntervalSince(opening))
        }
        #expect(delays.count > 50)
    }
}
