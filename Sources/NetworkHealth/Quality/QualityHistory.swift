import FoundationEssentials

/// The measurements and observations of each uplink, which count again when the host returns to it.
package struct QualityHistory: Sendable, Equatable {
    /// How long a measurement counts; nil: without end.
    package var maxAge: Duration?
    private var measurements: [Uplink: SpeedMeasurement] = [:]
    /// The uplinks of the measurements in the order of recording, which a wrong clock does not change.
    private var recorded: [Uplink] = []
    private var carried: [Uplink: Double] = [:]
    private var impairments: Set<Impairment> = []
    /// That of the impairments.
    private var impaired: Uplink?
    /// What the exporter of the host measured and estimates; for every uplink of a container, since all lead there.
    package var host: HostQuality?

    /// The quality of a host's network.
    package struct HostQuality: Sendable, Equatable {
        package var estimate: NetworkQuality?
        package var measurement: SpeedMeasurement?

        package init(estimate: NetworkQuality? = nil, measurement: SpeedMeasurement? = nil) {
            (self.estimate, self.measurement) = (estimate, measurement)
        }
    }

    package init() {}

    /// Replaces the speeds of an uplink.
    package mutating func set(_ measurement: SpeedMeasurement, of uplink: Uplink) {
        measurements[uplink] = measurement
        recorded.removeAll { $0 == uplink }
        recorded.append(uplink)
        if recorded.count > Uplink.limit { measurements[recorded.removeFirst()] = nil }
    }

    /// Notes an observed rate over 10 s, in bits per second; the highest rate stays.
    package mutating func carried(_ bitsPerSecond: Double, on uplink: Uplink) {
        guard bitsPerSecond > carried[uplink] ?? 0 else { return }
        if carried.count >= Uplink.limit, carried[uplink] == nil { carried = [:] }
        carried[uplink] = bitsPerSecond
    }

    /// Notes what of an uplink is high now.
    package mutating func setImpairments(_ impairments: Set<Impairment>, on uplink: Uplink?) {
        (self.impairments, impaired) = (impairments, uplink)
    }

    /// The evidence of one uplink; empty without one.
    func evidence(of uplink: Uplink?) -> QualityEvidence {
        guard let uplink else { return QualityEvidence(maxAge: maxAge) }
        let newest = [measurements[uplink], host?.measurement].compactMap(\.self).max { left, right in
            (left.decisive?.measuredAt ?? .distantPast) < (right.decisive?.measuredAt ?? .distantPast)
        }
        var evidence = QualityEvidence(measurement: newest, maxAge: maxAge)
        evidence.hostEstimate = host?.estimate
        if impaired == uplink { evidence.impairments = impairments }
        // Only its class, so that a growing rate does not change the state.
        evidence.carried = carried[uplink].map { min(.good, NetworkQuality(bitsPerSecond: $0)).minRate }
        return evidence
    }
}

/// The measurements and observations of one uplink.
package struct QualityEvidence: Sendable, Equatable {
    /// The last good speeds of this uplink, fresh or not.
    package var measurement: SpeedMeasurement?
    /// How long a measurement counts; nil: without end.
    package var maxAge: Duration?
    /// Each lowers an estimate; all together by a step.
    package var impairments: Set<Impairment> = []
    /// The estimate of the exporter of the host, which sees the link; nil where none is followed.
    package var hostEstimate: NetworkQuality?
    /// The highest observed rate of all traffic, in bits per second.
    package var carried: Double?

    package init(measurement: SpeedMeasurement? = nil, maxAge: Duration? = nil) {
        (self.measurement, self.maxAge) = (measurement, maxAge)
    }
}

/// What is so high now that an estimate of the quality is lowered.
package enum Impairment: Sendable, CaseIterable {
    /// Above 300 ms.
    case latency
    /// Above 5 %.
    case loss
}

extension Set<Impairment> {
    /// By the values of now; an unknown one is not high.
    package init(latency: Duration?, loss: Double?) {
        self = []
        if let latency, latency > .milliseconds(300) { insert(.latency) }
        if let loss, loss > 0.05 { insert(.loss) }
    }
}
