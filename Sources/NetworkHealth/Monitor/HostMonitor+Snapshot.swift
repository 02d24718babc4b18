import FoundationEssentials
import Statistics

/// What the functions of `NetworkHealth` return, on any monitor.
extension HostMonitor {
    /// How long a measurement counts: a process that uses the library has no schedule of tests.
    private static let maxAge = Duration.seconds(12 * 3600)

    /// The current snapshot; without a state one of an unknown type.
    func snapshot() async -> NetworkSnapshot {
        // A measurement expires without an event.
        health.learn()
        return await firstState()?.snapshot(at: .now) ?? .unknown(at: .now)
    }

    /// Runs a speed test, then returns the snapshot with its results.
    ///
    /// The result is returned even where it says nothing about this uplink: the quality is then that of the path.
    func snapshot(after speedTester: some SpeedTester) async -> NetworkSnapshot {
        let before = await firstState()
        let scope = SpeedTestScope()
        let measured = try? await SpeedTestScope.$current.withValue(scope) { try await speedTester.measureSpeed() }
        guard let result = measured else { return await snapshotWithoutMeasurement() }
        let date = Date.now
        let isMock = speedTester is MockSpeedTester
        let after = await firstState()
        // A test during which the uplink changed describes neither uplink; a mocked one describes none, nor does one that
        // did not leave this host.
        let describesUplink = !isMock && after?.uplink == before?.uplink && !scope.hasLocalTest
        if describesUplink, let uplink = after?.uplink {
            health.learn { history in
                history.maxAge = Self.maxAge
                history.set(SpeedMeasurement(result, at: date), of: uplink)
            }
        }
        var snapshot = await snapshot()
        if isMock || describesUplink && snapshot.quality != .offline {
            snapshot.quality = NetworkQuality(bitsPerSecond: result.downloadSpeedMbps * 1e6)
        }
        snapshot.downloadSpeedMbps = result.downloadSpeedMbps
        snapshot.uploadSpeedMbps = result.uploadSpeedMbps
        snapshot.latency = result.latency
        return snapshot
    }

    /// An earlier measurement is not the result of a test that failed.
    private func snapshotWithoutMeasurement() async -> NetworkSnapshot {
        guard var state = await firstState() else { return await snapshot() }
        state.evidence.measurement = nil
        state.assessment = state.assessment(at: .now)
        return state.snapshot(at: .now)
    }

    /// Whether the network meets a requirement, and what to do if not.
    func check(_ requirement: NetworkRequirement) async -> HealthCheckResult {
        let state = await firstState()
        let date = Date.now
        let verdict = Requirement(requirement).evaluate(RequirementFacts(state: state, date: date))
        return HealthCheckResult(
            passed: verdict.passed,
            currentQuality: verdict.assessment?.quality ?? NetworkSnapshot.unknown(at: date).quality,
            requiredQuality: requirement.quality,
            recommendation: verdict.recommendation()
        )
    }
}

extension SpeedMeasurement {
    fileprivate init(_ result: SpeedTestResult, at date: Date) {
        self.init(
            download: .megabits(result.downloadSpeedMbps),
            upload: .megabits(result.uploadSpeedMbps),
            measuredAt: date
        )
        latency = result.latency
    }
}
