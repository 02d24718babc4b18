import NetworkHealth
import SpeedTestCore

/// What a user writes who has both libraries: both have a `SpeedTestResult`.
struct RealSpeedTester: SpeedTester {
    let config: SpeedTestConfig

    func measureSpeed() async throws -> SpeedTestResult {
        let result = try await SpeedTestCore.runFullTest(config: config)
        // A test can have one direction only, but a result here needs both.
        guard let download = result.download, let upload = result.upload, let ping = result.ping else {
            throw NetworkError.notEnoughData
        }
        return SpeedTestResult(
            downloadSpeedMbps: download.speedMbps,
            uploadSpeedMbps: upload.speedMbps,
            latency: ping.latency
        )
    }
}
