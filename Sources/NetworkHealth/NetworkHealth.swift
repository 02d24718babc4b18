import FoundationEssentials
import Statistics

/// The health of this host's network: the current value, or a stream of changes.
///
/// It reads the kernel and sends nothing; only a ``SpeedTester`` that you pass measures anything. The first use starts one
/// monitor for the whole process.
public enum NetworkHealth {
    /// The current snapshot; returns within 50 ms.
    ///
    /// Where the kernel cannot be read, the quality is `offline` and the connection type `unknown`.
    public static func snapshot() async -> NetworkSnapshot {
        await health.firstState(within: limit)?.snapshot
            ?? NetworkSnapshot(
                quality: .offline,
                connectionType: .unknown,
                isExpensive: false,
                isConstrained: false,
                timestamp: .now
            )
    }

    /// Runs a speed test, then returns the snapshot with its results.
    ///
    /// The result counts for this uplink for the next 12 hours, unless the server was an address of this host.
    ///
    /// - Parameter speedTester: if it throws, the speeds are nil and the quality is that of the path.
    /// - Returns: the quality by the measured download, with the speeds and the latency.
    public static func detailedSnapshot(speedTester: some SpeedTester) async -> NetworkSnapshot {
        let before = await health.firstState(within: limit)
        let scope = SpeedTestScope()
        let measured = try? await SpeedTestScope.$current.withValue(scope) { try await speedTester.measureSpeed() }
        guard let result = measured else { return await snapshot() }
        let date = Date.now
        let isMock = speedTester is MockSpeedTester
        let after = await health.firstState(within: limit)
        // A test during which the uplink changed describes neither uplink; a mocked one describes none, nor does one that
        // did not leave this host.
        let describesUplink = after?.uplink == before?.uplink && !scope.hasLocalTest
        if !isMock, describesUplink, let uplink = after?.uplink {
            health.learn { history in
                history.maxAge = maxAge
                history.set(SpeedMeasurement(result, at: date), of: uplink)
            }
        }
        var snapshot = await snapshot()
        guard isMock || describesUplink && snapshot.quality != .offline else { return snapshot }
        snapshot.quality = NetworkQuality(bitsPerSecond: result.downloadSpeedMbps * 1e6)
        snapshot.downloadSpeedMbps = result.downloadSpeedMbps
        snapshot.uploadSpeedMbps = result.uploadSpeedMbps
        snapshot.latency = result.latency
        return snapshot
    }

    /// The current snapshot first, then each change of any field except timestamp and latency.
    ///
    /// A slow reader keeps the newest 64. The stream ends when the task that reads it is cancelled.
    public static func stream() -> AsyncStream<NetworkSnapshot> { health.snapshotChanges() }

    /// Whether the network meets a requirement, by the last speed measured in this process, else by an estimate.
    public static func isGoodEnoughFor(_ requirement: NetworkRequirement) async -> Bool {
        await check(requirement: requirement).passed
    }

    /// Whether the network meets a requirement, and what to do if not.
    public static func check(requirement: NetworkRequirement) async -> HealthCheckResult {
        let state = await health.firstState(within: limit)
        let verdict = Requirement(requirement).evaluate(RequirementFacts(state: state, date: .now))
        return HealthCheckResult(
            passed: verdict.passed,
            currentQuality: verdict.assessment?.quality ?? .offline,
            requiredQuality: requirement.quality,
            recommendation: verdict.recommendation
        )
    }

    private static var health: HealthMonitor { HostMonitor.shared.health }
    /// How long a call waits for the first complete evaluation.
    private static let limit = Duration.milliseconds(50)
    /// How long a measurement counts: this process has no schedule of tests.
    private static let maxAge = Duration.seconds(12 * 3600)
}

extension SpeedMeasurement {
    fileprivate init(_ result: SpeedTestResult, at date: Date) {
        self.init(
            download: .megabits(result.downloadSpeedMbps),
            upload: .megabits(result.uploadSpeedMbps),
            measuredAt: date
        )
    }
}
