import Probing
import Statistics

/// What the link itself says.
package enum LinkRule {
    /// A test that reaches this share of the negotiated speed is limited by the cable or the port.
    static let limitShare = 0.9
    /// How often the link went down or up in ten minutes.
    static let manyChanges = 4
    static let manyErrors = 0.01
    /// In dBm; below it rates fall.
    static let weakSignal = -75.0
    static let manyRetries = 0.4

    static func faults(in scene: FaultScene) -> [Fault] {
        let slow = slowness(in: scene)
        let losing = losses(in: scene)
        return (slow.isEmpty ? [] : [Fault(.link, .throughput, since: scene.now, slow)])
            + (losing.isEmpty ? [] : [Fault(.link, .loss, since: scene.now, losing)])
    }

    /// Whether a rate is limited by the link.
    package static func isLimit(_ linkSpeed: UInt64?, of rate: Double) -> Bool {
        linkSpeed.map { rate >= limitShare * Double($0) } ?? false
    }

    /// What accompanies a fault that was measured on the link.
    static func hints(in scene: FaultScene) -> [FaultObservation] { radio(in: scene) + losses(in: scene) }

    private static func slowness(in scene: FaultScene) -> [FaultObservation] {
        let link = scene.evidence.link
        var observations: [FaultObservation] = []
        if let speed = link.speed, let most = link.maxSpeed, speed < most {
            let says = """
                The link negotiated \(Double(speed).megabits) Mbit/s; both ends offer \(Double(most).megabits) Mbit/s: check the \
                cable.
                """
            observations.append(
                FaultObservation(.rate, value: Double(speed), threshold: Double(most), at: scene.now, says: says)
            )
        }
        if let test = scene.evidence.speedTest, ThroughputRule.isSlow(test), isLimit(link.speed, of: test.rate),
            let speed = link.speed
        {
            let says = """
                The speed test reached \(test.rate.megabits) of the link's \(Double(speed).megabits) Mbit/s: the cable or the port \
                is the limit.
                """
            observations.append(
                FaultObservation(
                    .share,
                    value: test.rate / Double(speed),
                    threshold: limitShare,
                    at: test.at,
                    says: says
                )
            )
        }
        return observations + radio(in: scene)
    }

    private static func radio(in scene: FaultScene) -> [FaultObservation] {
        let link = scene.evidence.link
        var observations: [FaultObservation] = []
        if let signal = link.signal, signal <= weakSignal {
            let says = "The radio signal is weak: \(Int(max(signal, -200).rounded())) dBm."
            observations.append(
                FaultObservation(.signal, value: signal, threshold: weakSignal, at: scene.now, says: says)
            )
        }
        if let retries = link.retryRatio, retries >= manyRetries {
            let says = "The radio sends \(retries.percent) % of its frames again."
            observations.append(
                FaultObservation(.share, value: retries, threshold: manyRetries, at: scene.now, says: says)
            )
        }
        return observations
    }

    private static func losses(in scene: FaultScene) -> [FaultObservation] {
        let link = scene.evidence.link
        var observations: [FaultObservation] = []
        if let changes = link.carrierChanges, changes >= manyChanges {
            let says = "The link went down or up \(changes) times in the last ten minutes."
            observations.append(
                FaultObservation(
                    .count,
                    value: Double(changes),
                    threshold: Double(manyChanges),
                    at: scene.now,
                    says: says
                )
            )
        }
        if let errors = link.errorRatio, errors >= manyErrors {
            let says = "\(errors.percent) % of the frames that the link received have errors."
            observations.append(
                FaultObservation(.share, value: errors, threshold: manyErrors, at: scene.now, says: says)
            )
        }
        return observations
    }
}

/// Why the last speed test was slower than the line should be, as far as the other rules leave that open.
enum ThroughputRule {
    /// Of what is expected.
    static let expectedShare = 0.9

    static func isSlow(_ test: SpeedTestFacts) -> Bool {
        test.expected.map { test.rate < expectedShare * $0 } ?? false
    }

    static func faults(in scene: FaultScene) -> [Fault] {
        guard let test = scene.evidence.speedTest, let expected = test.expected, isSlow(test) else { return [] }
        // What limits it is named already.
        guard HostRule.faults(in: scene).isEmpty, LinkRule.faults(in: scene).isEmpty else { return [] }
        // The line may carry what is expected, while processors were withheld from this computer.
        guard !test.isLowerBound else { return [] }
        let slow = FaultObservation(
            .rate,
            value: test.rate,
            threshold: expectedShare * expected,
            at: test.at,
            says: "The speed test reached \(test.rate.megabits) of the \(expected.megabits) Mbit/s that are expected."
        )
        func fault(_ place: FaultLocation, _ says: String) -> Fault {
            Fault(place, .throughput, since: test.at, [slow, FaultObservation(.state, at: test.at, says: says)])
        }
        if test.isLimitedByCrossTraffic { return [fault(.host, "Other traffic of this computer used the line.")] }
        if test.isLimitedByServer { return [fault(.destination, "\(test.server) refused connections or requests.")] }
        if let other = test.reachedBy {
            return [fault(.destination, "\(other) gave what is expected over the same line.")]
        }
        if let place = test.queue?.place { return [fault(place, "Under its load packets waited there.")] }
        let missing = scene.missing("Where packets waited under its load is not known.")
        return [Fault(.unknown, .throughput, since: test.at, [slow, missing])]
    }
}
