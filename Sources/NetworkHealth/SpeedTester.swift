public import FoundationEssentials

/// Measures how fast the network is, however it likes.
public protocol SpeedTester: Sendable {
    /// One test.
    ///
    /// - Returns: what it found.
    /// - Throws: whatever kept it from finding all of it; half a result is none.
    func measureSpeed() async throws -> SpeedTestResult
}

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

/// A network that is as fast as you say, for tests, previews and demonstrations.
///
/// The quality of a snapshot that was made with it follows its download, whatever the machine's own network is.
public struct MockSpeedTester: SpeedTester, Equatable {
    /// Megabits (10⁶) a second.
    public var downloadSpeedMbps: Double
    /// Megabits (10⁶) a second.
    public var uploadSpeedMbps: Double
    /// Milliseconds of a round trip.
    public var latencyMs: Double

    /// A profile of your own.
    public init(downloadSpeedMbps: Double, uploadSpeedMbps: Double, latencyMs: Double) {
        self.downloadSpeedMbps = downloadSpeedMbps
        self.uploadSpeedMbps = uploadSpeedMbps
        self.latencyMs = latencyMs
    }

    /// The profile, at once.
    public func measureSpeed() async throws -> SpeedTestResult {
        SpeedTestResult(
            downloadSpeedMbps: downloadSpeedMbps,
            uploadSpeedMbps: uploadSpeedMbps,
            latency: latencyMs / 1000
        )
    }

    /// 100 Mbps down, 50 up, 15 ms: excellent.
    public static let excellent5G = MockSpeedTester(downloadSpeedMbps: 100, uploadSpeedMbps: 50, latencyMs: 15)
    /// 20 Mbps down, 10 up, 50 ms: good.
    public static let goodLTE = MockSpeedTester(downloadSpeedMbps: 20, uploadSpeedMbps: 10, latencyMs: 50)
    /// 3 Mbps down, 1 up, 150 ms: moderate.
    public static let moderate3G = MockSpeedTester(downloadSpeedMbps: 3, uploadSpeedMbps: 1, latencyMs: 150)
    /// 0.3 Mbps down, 0.1 up, 500 ms: poor.
    public static let poor2G = MockSpeedTester(downloadSpeedMbps: 0.3, uploadSpeedMbps: 0.1, latencyMs: 500)
    /// 150 Mbps down, 75 up, 10 ms: excellent.
    public static let excellentWiFi = MockSpeedTester(downloadSpeedMbps: 150, uploadSpeedMbps: 75, latencyMs: 10)
    /// 2 Mbps down, 1 up, 200 ms: moderate.
    public static let slowWiFi = MockSpeedTester(downloadSpeedMbps: 2, uploadSpeedMbps: 1, latencyMs: 200)
}
