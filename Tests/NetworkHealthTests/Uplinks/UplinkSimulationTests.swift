import Lab
import NetworkPath
import Probing
import Testing

@testable import NetworkHealth

/// Random sequences of failures and switches, compared with what really happened.
@Suite struct UplinkSimulationTests {
    /// What is true of one uplink.
    private struct Truth {
        /// The times at which the provider fails and recovers in turn; it works at first.
        var changes: [Double] = []
        var active = 0.0

        func works(at second: Double) -> Bool { changes.count { $0 <= second }.isMultiple(of: 2) }
    }

    private struct Run {
        var scene: UplinkScene
        var truths: [Truth]
        var random: SplitMix64
        var switches = 0
        /// Until then the verdict about the path is the one before.
        var verdictAt: Double?
        var checked = 0
        /// Since when each standby is lost, and for how long each one was.
        var lost: [Int: Double] = [:]
        var standbySeconds: [Double]

        init(seed: UInt64) {
            random = SplitMix64(state: seed)
            let count = Int.random(in: 2...4, using: &random)
            scene = UplinkScene((0..<count).map { UplinkScene.way($0) })
            truths = (0..<count).map { _ in Truth() }
            standbySeconds = truths.map { _ in 0 }
        }

        /// Up to that time: rounds, and the verdict about the path, show what is true at their time.
        mutating func pass(to second: Double) {
            if let due = verdictAt, due <= second {
                advance(to: due)
                verdictAt = nil
                if let used = scene.used { scene.isOnline = truths[used].works(at: due) }
                scene.update(at: due)
            }
            advance(to: second)
        }

        private mutating func advance(to second: Double) {
            let truths = truths
            if let used = scene.used { self.truths[used].active += second - scene.now }
            // Nothing changes meanwhile.
            scene.pass(to: second) { device in
                guard let number = device.last?.wholeNumberValue else { return .inconclusive }
                return truths[number].works(at: second) ? .answered : .silent
            }
            check(at: second)
        }

        /// No outage began while the uplink worked; none is over that lasts.
        private mutating func check(at second: Double) {
            for event in scene.events[checked...] {
                guard case .lost = event.kind, let number = event.uplink.last?.wholeNumberValue else { continue }
                let since = UplinkScene.start.duration(to: event.at) / .seconds(1)
                #expect(!truths[number].works(at: since), "\(event.uplink) at \(since) of \(truths[number].changes)")
            }
            checked = scene.events.count
            for outage in scene.board.takeOutages() {
                guard let number = outage.uplink.last?.wholeNumberValue else { continue }
                let since = UplinkScene.start.duration(to: outage.outage.since) / .seconds(1)
                guard let length = outage.outage.length.map({ $0 / .seconds(1) }) else {
                    #expect(!truths[number].works(at: since) && lost[number] == nil, "\(outage.uplink) at \(since)")
                    lost[number] = since
                    continue
                }
                #expect(lost[number] == since, "\(outage.uplink) at \(since)")
                lost[number] = nil
                standbySeconds[number] += length
            }
        }

        mutating func perform() {
            scene.update(at: 0)
            var now = 0.0
            for _ in 0..<12 {
                now += Double.random(in: 0.5...90, using: &random)
                pass(to: now)
                let number = Int.random(in: truths.indices, using: &random)
                if Bool.random(using: &random) {
                    truths[number].changes.append(now)
                    if number == scene.used { verdictAt = now + .random(in: 1...8, using: &random) }
                } else if number != scene.used {
                    scene.used = number
                    switches += 1
                    // The verdict stays that of the last path until there is one about this.
                    scene.switchPath(at: now)
                    verdictAt = now + .random(in: 0.1...4, using: &random)
                }
            }
            pass(to: now + 200)
        }
    }

    @Test func `there is no false outage, and each switch is counted once, in 5,000 random sequences`() {
        for seed in 0..<5000 {
            var run = Run(seed: UInt64(seed))
            run.perform()
            let reports = run.scene.board.reports(at: UplinkScene.at(run.scene.now))
            #expect(Int(reports.reduce(0) { $0 + $1.switches }) == run.switches, "seed \(seed)")
            for (number, report) in reports.enumerated() {
                // Nothing has changed for 200 s: longer than two intervals.
                #expect(report.isOnline == run.truths[number].works(at: run.scene.now), "seed \(seed)")
                #expect(abs(report.active / .seconds(1) - run.truths[number].active) < 1, "seed \(seed)")
                let isLostStandby = report.isOnline == false && !report.isPrimary
                #expect((run.lost[number] != nil) == isLostStandby, "seed \(seed)")
                #expect(run.standbySeconds[number] <= report.offline / .seconds(1) + 0.001, "seed \(seed)")
            }
        }
    }
}
