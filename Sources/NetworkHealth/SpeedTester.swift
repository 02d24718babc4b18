public import FoundationEssentials

/// Measures the speed of the network.
///
/// ```swift
/// let snapshot = await NetworkHealth.detailedSnapshot(speedTester: MockSpeedTester.goodLTE)
/// print(snapshot.quality, snapshot.downloadSpeedMbps ?? 0)
/// ```
public protocol SpeedTester: Sendable {
    /// Runs one test.
    ///
    /// - Returns: download, upload and latency.
    /// - Throws: any error that prevents one of the three; there is no partial result.
    func measureSpeed() async throws -> SpeedTestResult
}

/// The result of a ``SpeedTester``.
public struct SpeedTestResult: Sendable, Equatable {
    /// In megabits (10⁶ bits) per second.
    public var downloadSpeedMbps: Double
    /// In megabits (10⁶ bits) per second.
    public var uploadSpeedMbps: Double
    /// The round-trip time of the idle network in seconds.
    public var latency: TimeInterval

    /// Creates a result.
    public init(downloadSpeedMbps: Double, uploadSpeedMbps: Double, latency: TimeInterval) {
        self.downloadSpeedMbps = downloadSpeedMbps
        self.uploadSpeedMbps = uploadSpeedMbps
        self.latency = latency
    }
}

/// A speed tester that returns given values, for tests, previews and demonstrations.
///
/// The quality of its snapshot follows its download speed, independent of the host's network.
public struct MockSpeedTester: SpeedTester, Equatable {
    /// In megabits (10⁶ bits) per second.
    public var downloadSpeedMbps: Double
    /// In megabits (10⁶ bits) per second.
    public var uploadSpeedMbps: Double
    /// The round-trip time in milliseconds.
    public var latencyMs: Double

    /// Creates a profile.
    public init(downloadSpeedMbps: Double, uploadSpeedMbps: Double, latencyMs: Double) {
        self.downloadSpeedMbps = downloadSpeedMbps
        self.uploadSpeedMbps = uploadSpeedMbps
        self.latencyMs = latencyMs
    }

    /// Returns the profile immediately.
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
