import Statistics
import Testing

@testable import NetworkHealth

@Suite struct CalmProbesTests {
    private static let start = OutcomeWindow.Instant.now

    /// So many outcomes, one each ten seconds.
    private func window(_ outcomes: [Duration?], from begin: Double = 0) -> OutcomeWindow {
        var window = OutcomeWindow()
        for (number, outcome) in outcomes.enumerated() {
            window.push(outcome, at: Self.start + .seconds(begin + Double(number) * 10))
        }
        return window
    }

    @Test func `what was answered while nothing was wrong counts once it is half a minute old`() {
        var calm = CalmProbes()
        let window = window(Array(repeating: .milliseconds(5), count: 6))
        calm.add(window, isWell: true, at: Self.start + .seconds(50))
        #expect(calm.tally.probes == 3, "at 0, 10 and 20 s")
        calm.add(window, isWell: true, at: Self.start + .seconds(50))
        #expect(calm.tally.probes == 3)
        calm.add(window, isWell: true, at: Self.start + .seconds(90))
        #expect(calm.tally.probes == 6 && calm.tally.losses == 0)
    }

    @Test func `another window is not completed by what was counted of the one before`() {
        let calm = CalmProbes(LossTally(probes: 40), counted: 40)
        let tally = calm.tally(with: window([.milliseconds(5), nil, nil, nil]), at: Self.start + .seconds(60))
        #expect(tally == LossTally(probes: 4, losses: 3))
    }

    @Test func `what is lost in a trouble is left out, also later`() {
        var calm = CalmProbes()
        let window = window(Array(repeating: nil, count: 6))
        calm.add(window, isWell: false, at: Self.start + .seconds(60))
        calm.add(window, isWell: true, at: Self.start + .seconds(200))
        #expect(calm.tally.probes == 0)
    }
}
