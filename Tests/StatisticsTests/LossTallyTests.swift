import Statistics
import Testing

struct LossTallyTests {
    private let now = ContinuousClock.now

    @Test func `counts the probes of a time, its begin included and its end not`() {
        var window = OutcomeWindow(capacity: 4)
        #expect(window.tally() == LossTally() && !window.isFull)
        for (second, value) in [Duration.milliseconds(5), nil, .milliseconds(7), nil].enumerated() {
            window.push(value, at: now + .seconds(second))
        }
        #expect(window.isFull)
        #expect(window.tally() == LossTally(probes: 4, losses: 2))
        #expect(window.tally(since: now + .seconds(1)) == LossTally(probes: 3, losses: 2))
        #expect(window.tally(since: now + .seconds(1), before: now + .seconds(3)) == LossTally(probes: 2, losses: 1))
        window.leaveOut(from: now + .seconds(3), to: nil, andLossesSince: now + .seconds(3))
        #expect(window.tally() == LossTally(probes: 3, losses: 1))
    }

    @Test func `a run begins behind the last gap that is too long`() {
        var window = OutcomeWindow()
        #expect(window.runBegin(gap: .seconds(2)) == nil)
        for second in [0, 10, 12, 14] { window.push(.milliseconds(1), at: now + .seconds(second)) }
        #expect(window.runBegin(gap: .seconds(2)) == now + .seconds(10))
        #expect(window.runBegin(gap: .seconds(10)) == now)
        #expect(window.runBegin(gap: .seconds(1)) == now + .seconds(14))
    }

    @Test func `values have their times`() {
        var window = OutcomeWindow()
        window.push(.milliseconds(1), at: now)
        window.push(nil, at: now + .seconds(1))
        window.push(.milliseconds(3), at: now + .seconds(2))
        let values = window.timedValues(since: now + .seconds(1))
        #expect(values.map(\.at) == [now + .seconds(2)] && values.map(\.value) == [.milliseconds(3)])
    }

    @Test func `two shares differ by their pooled standard error, and one from what is known by its own`() {
        let (few, many) = (LossTally(probes: 100, losses: 5), LossTally(probes: 100, losses: 20))
        // 0.15 / sqrt(0.125 · 0.875 · 2 / 100)
        #expect(abs(few.excess(of: many) - 3.207) < 0.001)
        #expect(abs(many.excess(of: few) + 3.207) < 0.001)
        // 0.15 / sqrt(0.05 · 0.95 / 100)
        #expect(abs(many.excess(over: 0.05) - 6.882) < 0.001)
        #expect(few.excess(of: LossTally()) == 0 && LossTally().excess(over: 0.1) == 0)
        // Of four losses all in the half that has them: 1 of 16; of 20 to 5 as scipy.stats.binom.sf(19, 25, 0.5) has it.
        #expect(abs(LossTally(probes: 9).chance(of: LossTally(probes: 9, losses: 4)) - 0.0625) < 1e-9)
        #expect(abs(few.chance(of: many) - 0.002039) < 1e-6)
        #expect(few.chance(of: LossTally(probes: 9)) == 1 && LossTally().chance(of: many) == 1)
        #expect((few + many) == LossTally(probes: 200, losses: 25) && few.answers == 95 && LossTally().ratio == 0)
    }
}
