/// What a running speed test tells.
public enum SpeedTestEvent: Sendable, Equatable {
    /// What a test does at a moment.
    public enum Phase: String, Sendable, CaseIterable {
        /// It looks for the server.
        case connecting
        /// It measures the latency.
        case latency
        /// It loads the way here.
        case download
        /// It loads the way there.
        case upload
    }

    /// How much of a phase is done, from 0 to 1, and the rate of the last second in 10⁶ bits a second where there is one.
    case progress(Phase, fraction: Double, speedMbps: Double?)
    /// The last event.
    case finished(SpeedTestCore.SpeedTestResult)
}
