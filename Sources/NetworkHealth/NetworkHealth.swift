/// The health of this host's network: the current value, or a stream of changes.
///
/// ```swift
/// let now = await NetworkHealth.snapshot()
/// print(now.quality, now.connectionType, now.interfaceName ?? "-")
///
/// let result = await NetworkHealth.check(requirement: .videoStreaming)
/// if !result.passed { print(result.recommendation) }
/// ```
///
/// It reads the kernel and sends nothing; only a ``SpeedTester`` that you pass measures anything. The first use starts one
/// monitor for the whole process.
public enum NetworkHealth {
    /// The current snapshot.
    ///
    /// The first one in the process waits for a complete evaluation: milliseconds, 1 s at most on a machine that is too
    /// busy. Later ones return within 50 ms. Without an evaluation the connection type is `unknown` and the quality the
    /// estimate of that type, `moderate`; the reason is logged as an error, and ``ConnectivityService/failure`` of
    /// ``ConnectivityService/shared`` has it where the kernel cannot be read.
    public static func snapshot() async -> NetworkSnapshot { await HostMonitor.shared.snapshot() }

    /// Runs a speed test, then returns the snapshot with its results.
    ///
    /// The result counts for this uplink for the next 12 hours. It is returned, and does not count, where the uplink changed
    /// during the test, where there is none, and where the server was an address of this host: the quality is then that of
    /// the path.
    ///
    /// - Parameter speedTester: if it throws, the speeds are nil and the quality is estimated from the path.
    /// - Returns: the quality by the measured download, with the speeds and the latency.
    public static func detailedSnapshot(speedTester: some SpeedTester) async -> NetworkSnapshot {
        await HostMonitor.shared.snapshot(after: speedTester)
    }

    /// The current snapshot first, then each change of any field except the times and the latency.
    ///
    /// A slow reader keeps the newest 64. The stream ends when the task that reads it is cancelled.
    public static func stream() -> AsyncStream<NetworkSnapshot> { HostMonitor.shared.health.snapshotChanges() }

    /// Whether the network meets a requirement, by the last speed measured in this process, else by an estimate.
    ///
    /// A measurement counts on its uplink for 12 hours.
    public static func isGoodEnoughFor(_ requirement: NetworkRequirement) async -> Bool {
        await check(requirement: requirement).passed
    }

    /// Whether the network meets a requirement, and what to do if not.
    public static func check(requirement: NetworkRequirement) async -> HealthCheckResult {
        await HostMonitor.shared.check(requirement)
    }
}
