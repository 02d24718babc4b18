import FoundationEssentials

/// What was measured and seen, by uplink: an uplink that comes back is known again.
package struct QualityHistory: Sendable, Equatable {
    /// Uplinks that are remembered; a travelling host meets more, and forgets what it measured longest ago.
    private static let limit = 64

    /// How long a measurement counts; nil: for ever.
    package var maxAge: Duration?
    private var measurements: [Uplink: SpeedMeasurement] = [:]
    private var carried: [Uplink: Double] = [:]
    private var impaired: Uplink?

    package init() {}

    /// Replaces the speeds of an uplink.
    package mutating func set(_ measurement: SpeedMeasurement, of uplink: Uplink) {
        measurements[uplink] = measurement
        guard measurements.count > Self.limit else { return }
        if let oldest = measurements.filter({ $0.key != uplink }).min(by: { $0.value.measuredAt < $1.value.measuredAt })?.key {
            measurements[oldest] = nil
        }
    }

    /// Bits a second that came through in 10 s; the highest rate stays.
    package mutating func carried(_ bitsPerSecond: Double, on uplink: Uplink) {
        guard bitsPerSecond > carried[uplink] ?? 0 else { return }
        if carried.count >= Self.limit, carried[uplink] == nil { carried = [:] }
        carried[uplink] = bitsPerSecond
    }

    /// Whether latency or loss are high there at this moment.
    package mutating func setImpaired(_ isImpaired: Bool, on uplink: Uplink?) {
        impaired = isImpaired ? uplink : nil
    }

    /// What is known of one uplink; nothing without one.
    func evidence(of uplink: Uplink?) -> QualityEvidence {
        guard let uplink else { return QualityEvidence(maxAge: maxAge) }
        var evidence = QualityEvidence(measurement: measurements[uplink], maxAge: maxAge)
        evidence.isImpaired = impaired == uplink
        // Only what it comes to: a rate that grows is no news.
        evidence.carried = carried[uplink].map { min(.good, NetworkQuality(bitsPerSecond: $0)).minRate }
        return evidence
    }
}

/// What is known of an uplink beside the path itself.
package struct QualityEvidence: Sendable, Equatable {
    /// The last good speeds of this uplink, fresh or not.
    package var measurement: SpeedMeasurement?
    /// How long a measurement counts; nil: for ever.
    package var maxAge: Duration?
    /// Its latency or loss is so high that it feels a step slower than it is.
    package var isImpaired = false
    /// Bits a second that it was seen to carry, whoever moved them.
    package var carried: Double?

    package init(measurement: SpeedMeasurement? = nil, maxAge: Duration? = nil) {
        (self.measurement, self.maxAge) = (measurement, maxAge)
    }

    /// Latency above 300 ms or loss above 5 %.
    package static func isImpaired(latency: Duration?, loss: Double?) -> Bool {
        (latency ?? .zero) > .milliseconds(300) || (loss ?? 0) > 0.05
    }
}
