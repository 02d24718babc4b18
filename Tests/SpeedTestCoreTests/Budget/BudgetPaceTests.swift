import FoundationEssentials
import Lab
import Testing

@testable import SpeedTestCore

@Suite struct BudgetPaceTests {
    private let start: Date
    /// 1 February in Berlin.
    private let reset: Date

    init() throws {
        Berlin.zone
        start = try utc("2025-12-31 23:00")
        reset = try utc("2026-01-31 23:00")
    }

    @Test func `a pace divides the rest of the month by the runs that it allows, but one`() {
        var ledger = BudgetLedger()
        let budget = SpeedTestBudget()
        let month = reset.timeIntervalSince(start)
        #expect(ledger.pace(budget, run: 500_000_000, at: start).meanGap == month / 39)
        ledger.charge(19_000_000_000, at: start)
        let slow = ledger.pace(budget, run: 500_000_000, at: start)
        #expect(slow.meanGap == month && !slow.isSpent)
        ledger.charge(1, at: start)
        let spent = ledger.pace(budget, run: 500_000_000, at: start)
        #expect(spent.isSpent && spent.reset == reset, "the last one is kept")
        #expect(ledger.pace(budget, run: 0, at: start).meanGap < 1)
    }

    @Test(arguments: [1, 9, 28])
    func `the next month begins on the reset day`(day: Int) throws {
        var budget = SpeedTestBudget()
        budget.resetDay = day
        let next = [1: "2026-01-31 23:00", 9: "2026-02-08 23:00", 28: "2026-01-27 23:00"]
        let expected = try utc(try #require(next[day]))
        #expect(BudgetLedger().nextReset(budget, after: try utc("2026-01-09 00:00")) == expected)
    }

    @Test func `a clock that is not set yet plans for no more than a month`() {
        let ledger = BudgetLedger()
        let unset = Date(timeIntervalSince1970: 60)
        #expect(ledger.pace(SpeedTestBudget(), run: 500_000_000, at: unset).meanGap < 86_400)
        #expect(ledger.pace(SpeedTestBudget(), run: .max, at: unset).reset < unset + 32 * 86_400)
    }

    /// Lives for a month on a line whose tests use all that a run may.
    @Test(arguments: UInt64(0)..<20)
    func `a month of a fast line ends with budget for a test, and no test is skipped`(seed: UInt64) {
        var (ledger, budget) = (BudgetLedger(), SpeedTestBudget())
        budget.perDay = .max
        let run = budget.perRun
        var simulation = Simulation(SpeedTestSchedule(), now: start)
        simulation.random = SplitMix64(state: seed)
        simulation.conditions.estimatedBytes = run
        var runs = 0
        var now = start
        while true {
            now = max(now, simulation.scheduler.nextRun)
            guard now < reset else { break }
            simulation.conditions.pace = ledger.pace(budget, run: run, at: now)
            simulation.conditions.remainingBytes = ledger.remaining(budget, at: now).run
            let decision = simulation.decide(at: now)
            if case .wait = decision { continue }
            #expect(decision == .run(latencyOnly: false))
            guard decision == .run(latencyOnly: false) else { return }
            simulation.start(at: now, pace: ledger.pace(budget, run: run, at: now))
            ledger.charge(run, at: now)
            runs += 1
            simulation.end(at: now + 30, hasSucceeded: true, pace: ledger.pace(budget, run: run, at: now + 30))
        }
        #expect(ledger.remaining(budget, at: reset - 1).month >= run)
        #expect((20...39).contains(runs), "\(runs) runs")
    }

    @Test func `an ample budget changes no gap`() {
        var (plain, paced) = (Simulation(SpeedTestSchedule(), now: start), Simulation(SpeedTestSchedule(), now: start))
        let pace = BudgetLedger().pace(SpeedTestBudget(), run: 60_000_000, at: start)
        plain.start(at: start)
        paced.start(at: start, pace: pace)
        #expect(plain.scheduler.nextRun == paced.scheduler.nextRun && paced.scheduler.stretchedGap == nil)
    }

    @Test func `the actual bytes of the first test replace the estimate`() {
        var simulation = Simulation(.every(.seconds(3600)), now: start)
        let (ledger, budget) = (BudgetLedger(), SpeedTestBudget())
        simulation.start(at: start, pace: ledger.pace(budget, run: budget.perRun, at: start))
        #expect(simulation.scheduler.nextRun.timeIntervalSince(start) > 18 * 3600)
        simulation.end(at: start + 20, hasSucceeded: true, pace: ledger.pace(budget, run: 10_000_000, at: start))
        #expect(simulation.scheduler.nextRun.timeIntervalSince(start) <= 3600)
    }

    @Test func `a stretched gap is not taken for the plan of a wrong clock, also after a restart`() throws {
        var simulation = Simulation(.every(.seconds(3600)), now: start)
        var pace = BudgetPace()
        (pace.isSpent, pace.reset) = (true, reset)
        simulation.start(at: start, pace: pace)
        let next = simulation.scheduler.nextRun
        #expect(next == reset + 600, "the grid's first time of the next month")
        #expect(try #require(simulation.scheduler.stretchedGap) == next.timeIntervalSince(start))
        #expect(simulation.decide(at: start + 60) == .wait(until: next))
        let memory = simulation.scheduler.memory
        #expect(Simulation(.every(.seconds(3600)), memory: memory, now: start + 90).scheduler.nextRun == next)
        let coded = try JSONDecoder().decode(SpeedTestScheduler.Memory.self, from: try JSONEncoder().encode(memory))
        #expect(coded == memory)
    }

    @Test func `intervals and cron leave times out`() throws {
        var pace = BudgetPace()
        pace.meanGap = 5400
        var grid = Simulation(.every(.seconds(3600)), now: start)
        grid.start(at: grid.scheduler.nextRun, pace: pace)
        #expect(grid.scheduler.nextRun == start + 600 + 7200)
        var cron = Simulation(try .cron("0 * * * *"), now: start)
        cron.start(at: start, pace: pace)
        #expect(cron.scheduler.nextRun == start + 7200)
    }

    @Test func `a stretched gap ends with the month, whose successor has a budget of its own`() throws {
        let now = reset - 40_000
        for schedule in [SpeedTestSchedule(), .every(.seconds(3600)), try .cron("0 * * * *")] {
            var (simulation, pace) = (Simulation(schedule, now: now), BudgetPace())
            (pace.meanGap, pace.reset) = (20 * 86_400, reset)
            simulation.start(at: now, pace: pace)
            #expect(simulation.scheduler.nextRun <= reset + 54_000, "\(schedule)")
        }
    }

    @Test func `the runs of a month follow from rhythm, windows and the minimum gap`() throws {
        #expect((125...135).contains(SpeedTestSchedule().runsPerMonth(from: start)))
        #expect(SpeedTestSchedule.every(.seconds(3600)).runsPerMonth(from: start) == 720)
        #expect((29...31).contains(try SpeedTestSchedule.cron("0 3 * * *").runsPerMonth(from: start)))
        #expect((4000...4330).contains(try SpeedTestSchedule.cron("* * * * *").runsPerMonth(from: start)))
        var schedule = SpeedTestSchedule.every(.seconds(3600))
        schedule.windows = [try WeeklyWindow("Mon-Sun 00:00-12:00")]
        #expect((350...420).contains(schedule.runsPerMonth(from: start)))
    }
}
