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

/// What one direction carried.
public struct TransferResult: Sendable, Equatable {
    /// Goodput in 10⁶ bits a second, the mean over the measured window.
    public let speedMbps: Double
    /// Bytes that moved in the window.
    public let bytesTransferred: Int
    /// Seconds of the window; its warm-up is not in it.
    public let duration: TimeInterval

    /// A result, such as one that a test makes up.
    public init(speedMbps: Double, bytesTransferred: Int, duration: TimeInterval) {
        self.speedMbps = speedMbps
        self.bytesTransferred = bytesTransferred
        self.duration = duration
    }
}
