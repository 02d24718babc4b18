import NetworkHealth
import SpeedTestCore

/// Lets `NetworkHealth` measure with `SpeedTestCore`, or with your own implementation.
struct RealSpeedTester: SpeedTester {
    let config: SpeedTestConfig

    init(serverURL: String) {
        config = SpeedTestConfig(serverURL: serverURL)
    }

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

/// Measures, and prints the quality of the network.
func measure(with tester: some SpeedTester) async throws {
    print("measure: takes some seconds each way")
    let snapshot = await NetworkHealth.detailedSnapshot(speedTester: tester)
    guard let down = snapshot.downloadSpeedMbps, let up = snapshot.uploadSpeedMbps, let latency = snapshot.latency
    else {
        // The tester threw: the quality is that of the path.
        throw Unexpected(description: "no measurement, the network is \(snapshot.quality)")
    }
    let milliseconds = (latency * 10_000).rounded() / 10
    print("measure: \(snapshot.quality), \(Int(down)) Mbit/s down, \(Int(up)) up, \(milliseconds) ms")
}
