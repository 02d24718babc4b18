public import FoundationEssentials

/// The latency of the unloaded path to a server.
public struct PingResult: Sendable, Equatable {
    /// The median round trip, in seconds.
    public let latency: TimeInterval
    /// The mean difference between one round trip and the next, in seconds.
    public let jitter: TimeInterval

    /// A result, such as that of a mock.
    public init(latency: TimeInterval, jitter: TimeInterval) {
        self.latency = latency
        self.jitter = jitter
    }
}

/// The result of one direction.
public struct TransferResult: Sendable, Equatable {
    /// Goodput in 10⁶ bits per second, the mean over the measured window.
    public let speedMbps: Double
    /// Bytes that moved in the window.
    public let bytesTransferred: Int
    /// The length of the window in seconds, without the warm-up.
    public let duration: TimeInterval

    /// A result, such as that of a mock.
    public init(speedMbps: Double, bytesTransferred: Int, duration: TimeInterval) {
        self.speedMbps = speedMbps
        self.bytesTransferred = bytesTransferred
        self.duration = duration
    }
}
