/// The health of this host's network: ask for it now, or follow it.
///
/// The kernel is read, nothing is sent; only a ``SpeedTester`` that you hand in measures anything. The first use starts one
/// monitor for the whole process.
public enum NetworkHealth {
    /// What is known now; at most 50 ms, and never a guess.
    ///
    /// Where the kernel cannot be read the answer is `offline` over an `unknown` interface.
    public static func snapshot() async -> NetworkSnapshot {
        await HealthMonitor.shared.snapshot(within: limit)
    }

    /// The same after a speed test, which counts for this uplink for the next 12 hours.
    ///
    /// - Parameter speedTester: measures; one that throws leaves the speeds nil and the quality that of the path.
    /// - Returns: the quality by what was measured, with the speeds and the latency.
    public static func detailedSnapshot(speedTester: some SpeedTester) async -> NetworkSnapshot {
        await HealthMonitor.shared.detailedSnapshot(speedTester, within: limit)
    }

    /// The current value first, then each change of any field but timestamp and latency.
    ///
    /// A slow reader keeps the newest 64. The stream ends when the task that reads it is cancelled.
    public static func stream() -> AsyncStream<NetworkSnapshot> { HealthMonitor.shared.snapshotChanges() }

    /// Whether the network is good enough, by the last speed measured in this process, else by an estimate.
    public static func isGoodEnoughFor(_ requirement: NetworkRequirement) async -> Bool {
        await check(requirement: requirement).passed
    }

    /// The same with what is missing, and what to do about it.
    public static func check(requirement: NetworkRequirement) async -> HealthCheckResult {
        await HealthMonitor.shared.check(requirement, within: limit)
    }

    private static let limit = Duration.milliseconds(50)
}
