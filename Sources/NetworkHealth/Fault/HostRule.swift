import Statistics

/// This machine is the limit.
enum HostRule {
    /// A share of the time in which tasks wait for a processor.
    static let busyPressure = 0.4
    /// Shares of what the line was measured to carry: near it the line is full by this host, and little leaves it to others.
    static let fullShare = 0.7
    static let littleShare = 0.3
    /// Without a measured speed, this host may fill the line with so many bits per second.
    static let fillingRate = 1e6
    /// With fewer bits per second in each direction, this host fills no line, not even one that carries less than was measured.
    static let quietRate = 1e5

    static func faults(in scene: FaultScene) -> [Fault] {
        // A test that is as fast as the line should be shows no fault, whatever limited it.
        guard let test = scene.evidence.speedTest, ThroughputRule.isSlow(test), test.isLimitedByProcessor else {
            return []
        }
        let says = "The processor of this computer was the limit of the speed test."
        return [Fault(.host, .throughput, since: test.at, [FaultObservation(.state, at: test.at, says: says)])]
    }
}

/// How much of the line this host uses.
struct LineFill {
    var share: Double
    var rate: Double
    var measured: Double

    /// The fuller direction; nil: not known.
    init?(_ host: HostFacts) {
        let directions = [(host.received, host.measuredDownload), (host.sent, host.measuredUpload)]
        let known = directions.compactMap { rate, measured -> LineFill? in
            guard let rate, let measured, measured > 0 else { return nil }
            return LineFill(rate: rate, measured: measured)
        }
        guard let fullest = known.max(by: { $0.share < $1.share }) else { return nil }
        self = fullest
    }

    private init(rate: Double, measured: Double) {
        (share, self.rate, self.measured) = (rate / measured, rate, measured)
    }

    var isOwn: Bool { share >= HostRule.fullShare }
    var isLittle: Bool { share < HostRule.littleShare }

    func observation(at now: OutcomeWindow.Instant) -> FaultObservation {
        FaultObservation(
            .share,
            value: share,
            threshold: HostRule.fullShare,
            at: now,
            says: """
                This computer uses \(rate.megabits) of the \(measured.megabits) Mbit/s that the line was measured to carry.
                """
        )
    }
}

extension FaultScene {
    var fill: LineFill? { LineFill(evidence.host) }
    var isFilledByHost: Bool { fill?.isOwn ?? false }
    /// Whether this host carries much in a direction whose speed is not known.
    var mayFill: Bool {
        let host = evidence.host
        return [(host.received, host.measuredDownload), (host.sent, host.measuredUpload)].contains { rate, measured in
            measured == nil && (rate ?? 0) >= HostRule.fillingRate
        }
    }

    /// Whose packets fill a full line of which this host uses little; nil: the share that it uses is not known, or not little.
    var foreignFill: String? {
        guard !mayFill, let fill, fill.isLittle else { return nil }
        let isQuiet = [evidence.host.received, evidence.host.sent].allSatisfy { ($0 ?? 0) < HostRule.quietRate }
        return isQuiet ? DelayRule.foreign : DelayRule.foreignOrSlower
    }

    var busyObservation: FaultObservation? {
        guard let pressure = evidence.host.processorPressure, pressure >= HostRule.busyPressure else { return nil }
        return FaultObservation(
            .share,
            value: pressure,
            threshold: HostRule.busyPressure,
            at: now,
            says: "This computer is busy: for \(pressure.percent) % of the time a program waits for a processor."
        )
    }
}

extension Double {
    /// Of a share, the whole percentage.
    var percent: Int { Int((min(max(self, 0), 1) * 100).rounded()) }
    /// Of bits per second, the megabits as text.
    var megabits: String {
        let tenths = (min(max(self, 0), 1e15) / 1e5).rounded() / 10
        return tenths >= 10 ? String(Int(tenths.rounded())) : String(tenths)
    }
}
