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
