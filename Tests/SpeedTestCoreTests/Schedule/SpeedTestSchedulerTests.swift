import FoundationEssentials
import SpeedTestCore
import Testing

@Suite struct SpeedTestSchedulerTests {
    let start: Date

    init() throws {
        Berlin.zone
        start = try utc("2026-01-09 00:00")
    }

    /// An hourly schedule of which a run is due at `start + 600`.
    func simulation(_ schedule: SpeedTestSchedule = .every(.seconds(3600))) -> Simulation {
        Simulation(schedule, now: start)
    }

    // MARK: start and memory

    @Test func `the first run is soon, but not at once, for the sake of crash loops`() throws {
        for schedule in [SpeedTestSchedule(), .every(.seconds(3600)), try .cron("* * * * *", jitter: .seconds(300))] {
            for restart in 0..<10 {
                let now = start + Double(restart)
                let simulation = Simulation(schedule, now: now)
                #expect((600...961).contains(simulation.scheduler.nextRun.timeIntervalSince(now)))
            }
        }
    }

    @Test func `a restart keeps what was planned`() {
        var simulation = simulation()
        simulation.start(at: start + 700)
        let memory = simulation.scheduler.memory
        #expect(memory.lastStart == start + 700)
        #expect(Simulation(.every(.seconds(3600)), memory: memory, now: start + 800).scheduler.memory == memory)
    }

    @Test func `a run that was due while no process ran is made up for, once`() {
        let memory = SpeedTestScheduler.Memory(lastStart: start - 86_400, nextRun: start - 82_800)
        var simulation = Simulation(.every(.seconds(3600)), memory: memory, now: start)
        #expect(simulation.decide(at: start) == .run(latencyOnly: false))
        simulation.start(at: start)
        #expect(simulation.decide(at: start + 1) == .wait(until: start + 3600))
    }

    @Test func `a stored memory is read back`() throws {
        var simulation = simulation()
        simulation.start(at: start + 700)
        simulation.scheduler.retryAfter(.seconds(5000), now: start + 710)
        let memory = simulation.scheduler.memory
        let written = try JSONEncoder().encode(memory)
        #expect(try JSONDecoder().decode(SpeedTestScheduler.Memory.self, from: written) == memory)
        #expect(try JSONDecoder().decode(SpeedTestScheduler.Memory.self, from: Data("{}".utf8)) == .init())
    }

    // MARK: gates

    @Test(arguments: Gate.all)
    func `each gate has its reason`(gate: Gate) {
        var simulation = simulation()
        simulation.conditions = gate.conditions
        #expect(simulation.decide(at: start + 600) == gate.decision)
        #expect(gate.conditions.refusal == gate.manual)
    }

    struct Gate: Sendable {
        var conditions = SpeedTestConditions()
        var decision: SpeedTestDecision
        var manual: SpeedTestRefusal?

        init(
            _ decision: SpeedTestDecision,
            manual: SpeedTestRefusal? = nil,
            _ change: (inout SpeedTestConditions) -> Void
        ) {
            self.decision = decision
            self.manual = manual
            change(&conditions)
        }

        static let all = [
            Gate(.run(latencyOnly: false)) { _ in },
            Gate(.skip(.running), manual: .running) { $0.isRunning = true },
            Gate(.skip(.offline), manual: .offline) { $0.isOnline = false },
            Gate(.skip(.running), manual: .running) {
                $0.isRunning = true
                $0.isOnline = false
            },
            Gate(.skip(.expensive), manual: .expensive) { $0.isExpensive = true },
            Gate(.run(latencyOnly: true)) {
                $0.isExpensive = true
                $0.onExpensive = .latencyOnly
            },
            Gate(.run(latencyOnly: false)) {
                $0.isExpensive = true
                $0.onExpensive = .run
            },
            Gate(.skip(.costUnknown), manual: .costUnknown) { $0.isExpensive = nil },
            Gate(.run(latencyOnly: true)) {
                $0.isExpensive = nil
                $0.onExpensive = .latencyOnly
            },
            Gate(.run(latencyOnly: false)) {
                $0.isExpensive = nil
                $0.onExpensive = .run
            },
            Gate(.skip(.constrained), manual: .constrained) { $0.isConstrained = true },
            Gate(.run(latencyOnly: true)) {
                $0.isConstrained = true
                $0.onConstrained = .latencyOnly
            },
            Gate(.run(latencyOnly: false)) {
                $0.isConstrained = true
                $0.onConstrained = .run
            },
            // The stricter of both rules holds.
            Gate(.skip(.constrained), manual: .constrained) {
                $0.isExpensive = true
                $0.onExpensive = .run
                $0.isConstrained = true
            },
            Gate(.run(latencyOnly: true)) {
                $0.isExpensive = true
                $0.onExpensive = .run
                $0.isConstrained = true
                $0.onConstrained = .latencyOnly
            },
            Gate(.run(latencyOnly: false)) {
                $0.estimatedBytes = 100
                $0.remainingBytes = 100
            },
            Gate(.skip(.budget), manual: .budget) {
                $0.estimatedBytes = 101
                $0.remainingBytes = 100
            },
            // The latency needs less than a load.
            Gate(.run(latencyOnly: true)) {
                $0.isExpensive = true
                $0.onExpensive = .latencyOnly
                $0.estimatedBytes = 100_001
                $0.remainingBytes = 100_000
            },
            Gate(.skip(.budget), manual: .budget) {
                $0.isExpensive = true
                $0.onExpensive = .latencyOnly
                $0.estimatedBytes = 100_001
                $0.remainingBytes = 99_999
            },
            Gate(.skip(.busy)) { $0.isBusy = true },
            Gate(.skip(.busy)) {
                $0.isBusy = true
                $0.whenBusy = .skip
            },
            Gate(.run(latencyOnly: false)) {
                $0.isBusy = true
                $0.whenBusy = .run
            },
            Gate(.skip(.budget), manual: .budget) {
                $0.isBusy = true
                $0.remainingBytes = 0
            },
        ]
    }

    @Test(arguments: [SkipReason.expensive, .constrained, .budget, .running, .busy])
    func `a skip is counted once, and the next due time is the rhythm's`(reason: SkipReason) {
        var simulation = simulation()
        simulation.conditions.isExpensive = reason == .expensive
        simulation.conditions.isConstrained = reason == .constrained
        simulation.conditions.isRunning = reason == .running
        simulation.conditions.isBusy = reason == .busy
        simulation.conditions.whenBusy = .skip
        if reason == .budget { simulation.conditions.remainingBytes = 0 }
        for run in 0..<3 {
            let due = start + 600 + Double(run) * 3600
            #expect(simulation.decide(at: due - 1) == .wait(until: due))
            #expect(simulation.decide(at: due) == .skip(reason))
            #expect(simulation.decide(at: due) == .wait(until: due + 3600))
        }
    }

    @Test func `a scheduled run too soon after any other is skipped`() {
        var simulation = simulation()
        simulation.start(at: start + 1)
        #expect(simulation.decide(at: start + 600) == .skip(.gap))
        #expect(simulation.decide(at: start + 4200) == .run(latencyOnly: false))
    }

    @Test func `a due time that is decided after its window is skipped`() throws {
        var schedule = SpeedTestSchedule.every(.seconds(3600))
        schedule.windows = [try WeeklyWindow("Fri 00:00-02:00")]
        var simulation = simulation(schedule)
        #expect(simulation.decide(at: start + 86_400) == .skip(.window))
        #expect(simulation.scheduler.nextRun == start + 7 * 86_400 - 3600)
    }

    @Test func `offline a run waits, counted once, and starts as soon as the host is online`() {
        var simulation = simulation()
        simulation.conditions.isOnline = false
        #expect(simulation.decide(at: start + 600) == .skip(.offline))
        for minute in 1...200 {
            let now = start + 600 + Double(minute) * 60
            #expect(simulation.decide(at: now) == .wait(until: now + 60))
        }
        simulation.conditions.isOnline = true
        let now = start + 600 + 200 * 60 + 1
        #expect(simulation.decide(at: now) == .run(latencyOnly: false))
        simulation.start(at: now)
        #expect(simulation.scheduler.nextRun == start + 600 + 4 * 3600)
        // The next due time counts anew.
        simulation.conditions.isOnline = false
        #expect(simulation.decide(at: start + 600 + 4 * 3600) == .skip(.offline))
    }

    @Test func `on a busy link a run waits, counted once, checked every minute`() {
        var simulation = simulation()
        simulation.conditions.isBusy = true
        #expect(simulation.decide(at: start + 600) == .skip(.busy))
        simulation.conditions.isBusy = false
        #expect(simulation.decide(at: start + 630) == .wait(until: start + 660))
        simulation.conditions.isBusy = true
        #expect(simulation.decide(at: start + 660) == .wait(until: start + 720))
        simulation.conditions.isBusy = false
        #expect(simulation.decide(at: start + 720) == .run(latencyOnly: false))
    }

    @Test func `a waiting run that may not run any more is not counted twice`() {
        var simulation = simulation()
        simulation.conditions.isBusy = true
        #expect(simulation.decide(at: start + 600) == .skip(.busy))
        simulation.conditions.isExpensive = true
        #expect(simulation.decide(at: start + 660) == .wait(until: start + 4200))
        #expect(simulation.decide(at: start + 4200) == .skip(.expensive))
    }

    // MARK: reload and Retry-After

    @Test func `a reload of the same schedule changes nothing, another schedule is planned anew`() {
        var simulation = Simulation(SpeedTestSchedule(), now: start)
        simulation.start(at: start)
        let planned = simulation.scheduler.nextRun
        simulation.scheduler.apply(SpeedTestSchedule(), now: start + 60, using: &simulation.random)
        #expect(simulation.scheduler.nextRun == planned)
        simulation.scheduler.apply(.every(.seconds(1800)), now: start + 2000, using: &simulation.random)
        #expect(simulation.scheduler.nextRun == start + 3600)
    }

    @Test func `a server's Retry-After delays scheduled runs, by at most a day, until the next start`() {
        var simulation = simulation()
        simulation.start(at: start + 600)
        simulation.scheduler.retryAfter(.seconds(10_000), now: start + 610)
        #expect(simulation.scheduler.nextRun == start + 10_610)
        #expect(simulation.decide(at: start + 4200) == .wait(until: start + 10_610))
        simulation.start(at: start + 5000)
        #expect(simulation.scheduler.nextRun == start + 7800)

        simulation.scheduler.retryAfter(.seconds(10), now: start + 5001)
        #expect(simulation.scheduler.nextRun == start + 7800)
        simulation.scheduler.retryAfter(.seconds(1_000_000_000_000), now: start + 5002)
        #expect(simulation.scheduler.nextRun == start + 5002 + 86_400)
        #expect(simulation.decide(at: start + 5003) == .wait(until: start + 5002 + 86_400))
    }
}
