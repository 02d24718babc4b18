public import FoundationEssentials

/// How far a server is while nothing loads the path.
public struct PingResult: Sendable, Equatable {
    /// Seconds of a round trip: the median.
    public let latency: TimeInterval
    /// Seconds by which one round trip differs from the next: the mean.
    public let jitter: TimeInterval

    /// A result, such as one that a test makes up.
    public init(latency: TimeInterval, jitter: TimeInterval) {
        self.latency = latency
        self.jitter = jitter
    }
}
