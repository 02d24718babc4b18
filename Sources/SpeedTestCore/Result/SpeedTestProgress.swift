/// Where a running test is.
package struct SpeedTestProgress: Sendable, Equatable {
    package enum Phase: String, Sendable, CaseIterable {
        case connecting, latency, download, upload
    }

    package var phase: Phase
    /// Of the phase, 0…1, an estimate.
    package var fraction: Double
    /// The rate of the last second; nil in the first phases.
    package var bytesPerSecond: Double?

    package init(_ phase: Phase, fraction: Double, bytesPerSecond: Double? = nil) {
        self.phase = phase
        self.fraction = fraction
        self.bytesPerSecond = bytesPerSecond
    }
}
