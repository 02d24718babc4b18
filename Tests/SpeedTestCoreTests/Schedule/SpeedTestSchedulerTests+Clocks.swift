import FoundationEssentials
import SpeedTestCore
import Testing

/// Beside a wall clock that is set.
extension SpeedTestSchedulerTests {
    @Test func `a clock that jumps forward makes one run`() {
        var simulation = simulation()
        let later = start + 10 * 365 * 86_400
        #expect(simulation.decide(at: later) == .run(latencyOnly: false))
        simulation.start(at: later)
        #expect((1...3600).contains(simulation.scheduler.nextRun.timeIntervalSince(later)))
    }

    @Test func `after a clock is set back, a run further away than the longest gap is planned anew`() {
        var simulation = simulation()
        let future = start + 10 * 365 * 86_400
        simulation.start(at: future)
        let decision = simulation.decide(at: start)
        #expect(decision == .wait(until: simulation.scheduler.nextRun))
        #expect((1...3600).contains(simulation.scheduler.nextRun.timeIntervalSince(start)))
        #expect(simulation.scheduler.memory.lastStart == nil)
        // The same after a restart.
        let memory = SpeedTestScheduler.Memory(lastStart: future, nextRun: future + 3600)
        let restarted = Simulation(.every(.seconds(3600)), memory: memory, now: start).scheduler
        #expect((1...3600).contains(restarted.nextRun.timeIntervalSince(start)))
        #expect(restarted.memory.lastStart == nil)
    }

    @Test func `a clock that is set back is noticed before the planned time comes`() {
        var simulation = simulation()
        let future = start + 25 * 365 * 86_400
        simulation.start(at: future)
        simulation.scheduler.correct(for: start, using: &simulation.random)
        #expect((1...3600).contains(simulation.scheduler.nextRun.timeIntervalSince(start)))
        #expect(simulation.scheduler.memory.lastStart == nil)
        let planned = simulation.scheduler.memory
        simulation.scheduler.correct(for: start + 1, using: &simulation.random)
        #expect(simulation.scheduler.memory == planned, "once")
    }

    @Test func `a run that waits for an idle link is checked each minute by a clock that was set back`() throws {
        var simulation = Simulation(try .cron("0 0 1 * *"), now: start)
        let due = simulation.scheduler.nextRun
        simulation.conditions.isBusy = true
        #expect(simulation.decide(at: due) == .skip(.busy))
        // Less than the longest gap: the time that was planned would be believed.
        let back = due - 7 * 86_400
        simulation.scheduler.correct(for: back, using: &simulation.random)
        #expect(simulation.scheduler.nextRun == back + 60)
    }

    @Test func `a clock set back by a second is no reason to test again`() {
        var simulation = simulation()
        simulation.start(at: start + 600)
        let planned = simulation.scheduler.nextRun
        #expect(simulation.decide(at: start + 599) == .wait(until: planned))
        #expect(simulation.scheduler.memory.lastStart == start + 600)
    }

    @Test func `a server's Retry-After by a wrong clock is dropped`() {
        var simulation = simulation()
        simulation.start(at: start + 1000 * 86_400)
        simulation.scheduler.retryAfter(.seconds(3600), now: start + 1000 * 86_400)
        _ = simulation.decide(at: start)
        #expect(simulation.scheduler.memory.notBefore == nil)
        #expect(simulation.scheduler.nextRun <= start + 3600)
    }

    @Test(arguments: [1.797e308, -1.797e308, 1.7e308, -1.7e308, 1e300, -1e300, 1e12, -1e12])
    func `an interval does not continue from a time that is centuries away`(seconds: Double) {
        let odd = Date(timeIntervalSinceReferenceDate: seconds)
        for hours in 1...24 {
            let interval = Double(hours) * 3600
            for (lastStart, nextRun, nominal) in [(start, start, odd), (odd, start, start), (odd, odd, odd)] {
                var memory = SpeedTestScheduler.Memory(lastStart: lastStart, nextRun: nextRun)
                (memory.nominal, memory.plan) = (nominal, hours.isMultiple(of: 2) ? "another" : nil)
                var simulation = Simulation(.every(.seconds(interval)), memory: memory, now: start)
                simulation.start(at: start + 1)
                let gap = simulation.scheduler.nextRun.timeIntervalSince(start + 1)
                #expect(gap > 0 && gap <= interval, "\(hours) h: \(gap)")
            }
        }
    }

    @Test func `no clock and no memory traps`() {
        let dates = [-Double.infinity, -1e300, 0, 1e12, 1e300, .infinity].map { Date(timeIntervalSince1970: $0) }
        for schedule in [SpeedTestSchedule(), .every(.zero), .every(.seconds(-5))] {
            for now in dates {
                for planned in dates {
                    let memory = SpeedTestScheduler.Memory(lastStart: planned, nextRun: planned)
                    var simulation = Simulation(schedule, memory: memory, now: now)
                    _ = simulation.decide(at: now)
                    simulation.start(at: planned)
                    simulation.scheduler.retryAfter(.seconds(-1), now: now)
                }
            }
        }
    }
}
