import NetworkHealth
import SpeedTestCore
import Statistics
import Testing

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

/// A tester whose server was on this host.
private struct LocalSpeedTester: SpeedTester {
    func measureSpeed() async -> SpeedTestResult {
        // As an application that keeps one test for several callers does.
        await Task { SpeedTestScope.current?.tested(isLocal: true) }.value
        return SpeedTestResult(downloadSpeedMbps: 16_000, uploadSpeedMbps: 10_000, latency: 0.0004)
    }
}

struct SpeedTesterTests {
    @Test func `a test against an address of this host has its result, and says nothing about the network`() async {
        let snapshot = await NetworkHealth.detailedSnapshot(speedTester: LocalSpeedTester())
        #expect(snapshot.downloadSpeedMbps == 16_000 && snapshot.uploadSpeedMbps == 10_000)
        #expect(snapshot.latency == 0.0004 && snapshot.quality < .excellent)
        #expect(await NetworkHealth.snapshot().downloadSpeedMbps == nil)
        #expect(await !NetworkHealth.isGoodEnoughFor(.largeDownload))
    }

    @Test func `a tester made of both libraries compiles, and throws what the test throws`() async {
        let tester = RealSpeedTester(config: SpeedTestConfig(serverURL: "nowhere", protocol: .librespeed))
        await #expect(throws: NetworkError.serverUnreachable) { _ = try await tester.measureSpeed() }
        // One that throws leaves the quality to the path.
        let snapshot = await NetworkHealth.detailedSnapshot(speedTester: tester)
        #expect(snapshot.downloadSpeedMbps == nil && snapshot.latency == nil)
        #expect(await snapshot.quality == NetworkHealth.snapshot().quality)
    }

    @Test func `the mocked profiles are what they are called, whatever network this machine has`() async {
        let profiles: [MockSpeedTester] = [
            .excellent5G, .goodLTE, .moderate3G, .poor2G, .excellentWiFi, .slowWiFi,
        ]
        var qualities: [NetworkQuality] = []
        for profile in profiles {
            let snapshot = await NetworkHealth.detailedSnapshot(speedTester: profile)
            #expect(snapshot.downloadSpeedMbps == profile.downloadSpeedMbps)
            #expect(snapshot.uploadSpeedMbps == profile.uploadSpeedMbps)
            #expect(snapshot.latency == profile.latencyMs / 1000)
            qualities.append(snapshot.quality)
        }
        #expect(qualities == [.excellent, .good, .moderate, .poor, .excellent, .moderate])
        #expect(await NetworkHealth.snapshot().downloadSpeedMbps == nil, "a mock has measured nothing")
    }

    @Test func `a check says what is missing`() async {
        let result = await NetworkHealth.check(requirement: .largeDownload)
        #expect(!result.passed && result.requiredQuality == .excellent && result.currentQuality < .excellent)
        #expect(await !NetworkHealth.isGoodEnoughFor(.largeDownload))
        #expect(await NetworkHealth.check(requirement: .custom(.offline)).requiredQuality == .offline)
    }
}
