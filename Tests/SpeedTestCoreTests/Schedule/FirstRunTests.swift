import FoundationEssentials
import Lab
import SpeedTestCore
import Testing

@Suite struct FirstRunTests {
    private let start: Date

    init() throws {
        Berlin.zone
        start = try utc("2026-01-09 00:00")
    }

    private func simulation(
        _ schedule: SpeedTestSchedule = SpeedTestSchedule(),
        memory: SpeedTestScheduler.Memory = .init()
    ) -> Simulation {
        Simulation(schedule, memory: memory, isFirst: true, firstDelay: .seconds(30), now: start)
    }

    @Test func `the first run follows the first moment online, whenever that comes, and offline is no skip`() {
        var simulation = simulation()
        simulation.conditions.isOnline = false
        #expect(simulation.scheduler.waitsForNetwork && simulation.scheduler.firstRun == nil)
        #expect(simulation.decide(at: start + 30) == .wait(until: start + 90))
        simulation.conditions.isOnline = true
        #expect(simulation.decide(at: start + 500) == .wait(until: start + 530))
        #expect(!simulation.scheduler.waitsForNetwork && simulation.scheduler.firstRun == start + 530)
        #expect(simulation.decide(at: start + 530) == .run(latencyOnly: false))
    }

    @Test func `a process that is killed in the first test repeats it after minutes, each time later`() {
        var simulation = simulation()
        #expect(simulation.scheduler.memory.nextRun == nil, "a process that ends before has planned nothing")
        #expect(simulation.decide(at: start) == .wait(until: start + 30))
        #expect(simulation.decide(at: start + 30) == .run(latencyOnly: false))
        simulation.start(at: start + 30)
        let memory = simulation.scheduler.memory
        for restart in 0..<20 {
            let now = start + 31 + Double(restart)
            var again = self.simulation(memory: memory)
            #expect(again.decide(at: now) == .wait(until: simulation.scheduler.nextRun))
            #expect((630...780).contains(again.scheduler.nextRun.timeIntervalSince(start)))
        }
    }

    @Test(arguments: [1.0, 7, 29, 31, 45, 60])
    func `a crash loop is no test loop: two tests at most in ten minutes`(lifetime: TimeInterval) {
        var memory = SpeedTestScheduler.Memory()
        var starts: [TimeInterval] = []
        var now = start
        while now < start + 600 {
            var process = simulation(memory: memory)
            let end = now + lifetime
            while true {
                if case .run = process.decide(at: now) {
                    process.start(at: now)
                    starts.append(now.timeIntervalSince(start))
                    memory = process.scheduler.memory
                }
                guard process.scheduler.nextRun < end else { break }
                now = process.scheduler.nextRun
            }
            now = end
        }
        #expect(starts.count <= 2, "\(starts)")
        #expect(starts.isEmpty == (lifetime <= 30), "the first test comes 30 s after a start")
    }

    @Test func `a first test that fails is tried again after minutes, each time later, until one succeeds`() {
        var simulation = simulation(.every(.seconds(21_600)))
        var now = start + 30
        _ = simulation.decide(at: start)
        // At least `min_gap` after the start, then 5 min, doubled each time, and up to half of it more.
        for range in [600.0...750, 600...900, 1200...1800, 2400...3600] {
            #expect(simulation.decide(at: now) == .run(latencyOnly: false))
            simulation.start(at: now)
            simulation.end(at: now, hasSucceeded: false)
            #expect(range.contains(simulation.scheduler.nextRun.timeIntervalSince(now)), "\(range)")
            now = simulation.scheduler.nextRun
        }
        simulation.start(at: now)
        simulation.end(at: now, hasSucceeded: true)
        #expect(simulation.scheduler.nextRun == start + 30 + 21_600, "the grid is the rhythm's")
        #expect(simulation.scheduler.firstRun == nil && simulation.scheduler.memory.attempts == nil)
        now = simulation.scheduler.nextRun
        simulation.start(at: now)
        simulation.end(at: now, hasSucceeded: false)
        #expect(simulation.scheduler.nextRun == now + 21_600, "later tests wait for the rhythm")
    }

    @Test func `a first test that is refused is tried again after minutes, also after a restart`() {
        var simulation = simulation(.every(.seconds(21_600)))
        simulation.conditions.isExpensive = true
        _ = simulation.decide(at: start)
        #expect(simulation.decide(at: start + 30) == .skip(.expensive))
        let next = simulation.scheduler.nextRun
        #expect((300...450).contains(next.timeIntervalSince(start + 30)))
        var restarted = self.simulation(.every(.seconds(21_600)), memory: simulation.scheduler.memory)
        restarted.conditions.isExpensive = true
        #expect(restarted.decide(at: next) == .skip(.expensive))
        #expect((600...900).contains(restarted.scheduler.nextRun.timeIntervalSince(next)))
    }

    @Test func `two exporters that start together try again at different times`() {
        let times = (UInt64(0)..<10).map { seed in
            var simulation = simulation(.every(.seconds(21_600)))
            simulation.random = SplitMix64(state: seed)
            simulation.start(at: start)
            simulation.end(at: start, hasSucceeded: false)
            return simulation.scheduler.nextRun
        }
        #expect(Set(times).count == 10)
    }

    @Test func `cron gives the times of first tests, too`() throws {
        var simulation = Simulation(try .cron("0 3 * * *"), isFirst: true, now: start)
        let due = simulation.scheduler.nextRun
        simulation.start(at: due)
        simulation.end(at: due, hasSucceeded: false)
        #expect(simulation.scheduler.nextRun == due + 86_400)
    }

    @Test func `another schedule keeps a first run that waits for the network`() {
        var simulation = simulation()
        simulation.scheduler.apply(.every(.seconds(3600)), now: start + 5, using: &simulation.random)
        #expect(simulation.decide(at: start + 7) == .wait(until: start + 37))
    }
}
