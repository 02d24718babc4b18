import NetworkHealth
import SpeedTestCore
import Testing

/// Stand-ins for those that `NetworkHealth` will have.
private protocol SpeedTester: Sendable {
    func measureSpeed() async throws -> SpeedTestResult
}

private struct SpeedTestResult: Sendable {
    var downloadSpeedMbps: Double
    var uploadSpeedMbps: Double
    var latency: Double
}

/// What a user writes who has both libraries: both have a `SpeedTestResult`.
private struct RealSpeedTester: SpeedTester {
    let config: SpeedTestConfig

    func measureSpeed() async throws -> SpeedTestResult {
        let result = try await SpeedTestCore.runFullTest(config: config)
        guard let download = result.download, let upload = result.upload else { throw NetworkError.notEnoughData }
        return SpeedTestResult(
            downloadSpeedMbps: download.speedMbps,
            uploadSpeedMbps: upload.speedMbps,
            latency: result.ping?.latency ?? 0
        )
    }
}

struct SpeedTesterTests {
    @Test func `a tester made of both libraries compiles, and throws what the test throws`() async {
        let tester = RealSpeedTester(config: SpeedTestConfig(serverURL: "nowhere", protocol: .librespeed))
        await #expect(throws: NetworkError.serverUnreachable) { _ = try await tester.measureSpeed() }
        #expect(await NetworkHealth.snapshot().downloadSpeedMbps == nil)
    }
}
