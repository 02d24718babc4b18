import FoundationEssentials
import Statistics

/// What the library's static functions do, on any monitor.
extension HealthMonitor {
    /// How long a measurement counts in a process that has no schedule of tests.
    package static let libraryMaxAge = Duration.seconds(12 * 3600)

    func detailedSnapshot(_ tester: some SpeedTester, within limit: Duration) async -> NetworkSnapshot {
        let before = await firstState(within: limit)
        let result = try? await tester.measureSpeed()
        let date = Date.now
        guard let result else { return await snapshot(within: limit) }
        let isMock = tester is MockSpeedTester
        let after = await firstState(within: limit)
        // A test that began on one uplink and ended on another says nothing of either; a mock says nothing of any.
        let isOurs = after?.uplink == before?.uplink
        if !isMock, isOurs, let uplink = after?.uplink {
            learn { history in
                history.maxAge = Self.libraryMaxAge
                history.set(SpeedMeasurement(result, at: date), of: uplink)
            }
        }
        var snapshot = await snapshot(within: limit)
        guard isMock || isOurs && snapshot.quality != .offline else { return snapshot }
        snapshot.quality = NetworkQuality(bitsPerSecond: result.downloadSpeedMbps * 1e6)
        snapshot.downloadSpeedMbps = result.downloadSpeedMbps
        snapshot.uploadSpeedMbps = result.uploadSpeedMbps
        snapshot.latency = result.latency
        return snapshot
    }

    func check(_ requirement: NetworkRequirement, within limit: Duration) async -> HealthCheckResult {
        let state = await firstState(within: limit)
        let verdict = Requirement(requirement).judge(RequirementFacts(state: state, date: .now))
        return HealthCheckResult(
            passed: verdict.passed,
            currentQuality: verdict.assessment?.quality ?? .offline,
            requiredQuality: requirement.quality,
            recommendation: verdict.recommendation
        )
    }
}

extension SpeedMeasurement {
    init(_ result: SpeedTestResult, at date: Date) {
        self.init(
            download: .megabits(result.downloadSpeedMbps),
            upload: .megabits(result.uploadSpeedMbps),
            measuredAt: date
        )
    }
}
