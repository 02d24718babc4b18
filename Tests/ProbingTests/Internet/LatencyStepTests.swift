import FoundationEssentials
import Posix
import Statistics
import Testing

@testable import Probing

/// A step of the true latency from 20 to 120 ms, with the rounds of the default configuration and an injected clock.
struct LatencyStepTests {
    private static let start = OutcomeWindow.Instant.now
    private static let (low, high) = (Duration.milliseconds(20), Duration.milliseconds(120))

    private static func at(_ seconds: Double) -> OutcomeWindow.Instant { start + .seconds(seconds) }

    /// The connections of the rounds, by time.
    private static func connects(_ run: MachineRun) -> [(at: Double, family: AddressFamily)] {
        run.rounds.flatMap { round in
            round.plan.families.flatMap { family, plan in
                // The first check, and HTTPS where the plan has it.
                [(round.at, family)] + (plan.asksHTTPS ? [(round.at, family)] : [])
            }
        }
    }

    /// The first second after the step at which the latency is within a fifth of the new one, and stays there.
    private static func shownAfter(
        _ step: Double,
        _ connects: [(at: Double, family: AddressFamily)],
        flows: [Double] = [],
        until end: Double
    ) -> Double? {
        var sources = LatencySources()
        var (internet, first) = (InternetStatistics(), Double?.none)
        var (connects, flows) = (connects[...], flows[...])
        for second in stride(from: 0, through: end, by: 1) {
            while let connect = connects.first, connect.at <= second {
                let milliseconds = connect.at < step ? 20 : 120
                internet.add(.connect(milliseconds, over: connect.family), date: .now, at: at(connect.at))
                connects.removeFirst()
            }
            while let dump = flows.first, dump <= second {
                sources.passive.add([], median: dump < step ? low : high, at: at(dump))
                flows.removeFirst()
            }
            guard second >= step else { continue }
            sources.internet = internet
            let latency = sources.latency(at: at(second))?.latency ?? .zero
            let isShown = latency >= high * 0.8 && latency <= high * 1.2
            first = isShown ? first ?? second : nil
        }
        return first.map { $0 - step }
    }

    @Test(arguments: [0.0, 0.5, 1], [0.0, 7, 14, 21, 29])
    func `A step shows in less than four minutes, in whatever phase of the rounds`(random: Double, phase: Double) throws
    {
        var run = MachineRun()
        run.random = random
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        let step = 900 + phase
        run.advance(to: step + 300)
        let connects = Self.connects(run)
        #expect(connects.count { $0.at > step && $0.family == .ipv4 } >= 10)
        let seconds = try #require(Self.shownAfter(step, connects, until: step + 300))
        #expect(seconds < 240)
        #expect(seconds > 60, "a single connection does not move the median")
    }

    @Test(arguments: [0.0, 60, 150, 290], [0.0, 7, 14, 21, 29])
    func `A step shows as soon where other programs' traffic makes the rounds needless`(begun: Double, phase: Double)
        throws
    {
        var run = MachineRun()
        run.send(.pathChanged(.make(families: [.ipv4])))
        let step = 900 + phase
        // From some time before the step on, each dump shows received segments.
        run.passive = { now in
            var report = PassiveReport(at: Moment.at(now))
            if now >= step - begun { report.receivedFamilies = [.ipv4] }
            return report
        }
        run.advance(to: step + 300)
        let connects = Self.connects(run)
        #expect(connects.count { $0.at > step } <= 2, "at most one in five minutes")
        let flows = Array(stride(from: step - begun, through: step + 300, by: 20))
        #expect(try #require(Self.shownAfter(step, connects, flows: flows, until: step + 300)) < 180)
    }
}
