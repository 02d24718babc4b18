public import FoundationEssentials

/// What a ``SpeedTester`` has found.
public struct SpeedTestResult: Sendable, Equatable {
    /// Megabits (10⁶) a second.
    public var downloadSpeedMbps: Double
    /// Megabits (10⁶) a second.
    public var uploadSpeedMbps: Double
    /// Round trip of the unloaded network in seconds.
    public var latency: TimeInterval

    /// What a tester of your own returns.
    public init(downloadSpeedMbps: Double, uploadSpeedMbps: Double, latency: TimeInterval) {
        self.downloadSpeedMbps = downloadSpeedMbps
        self.uploadSpeedMbps = uploadSpeedMbps
        self.latency = latency
    }
}
