public import FoundationEssentials

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
