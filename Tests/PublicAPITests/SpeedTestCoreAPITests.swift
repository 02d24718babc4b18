import NetworkHealth
import SpeedTestCore
import Testing

/// What a program that imports `SpeedTestCore` can rely on, without a network.
@Suite(.timeLimit(.minutes(3)))
struct SpeedTestCoreAPITests {
    private func config(_ networking: SteadyNetworking = SteadyNetworking()) -> SpeedTestConfig {
        SpeedTestConfig(serverURL: "http://192.0.2.1", networking: networking)
    }

    @Test func `values are made of their fields in their order, and the optional ones are nil`() {
        let nothing = SpeedTestCore.SpeedTestResult()
        #expect(nothing.ping == nil && nothing.download == nil && nothing.upload == nil)
        let ping = PingResult(latency: 0.02, jitter: 0.001)
        let transfer = TransferResult(speedMbps: 8, bytesTransferred: 1_000_000, duration: 1)
        let result = SpeedTestCore.SpeedTestResult(ping: ping, download: transfer, upload: nil)
        #expect(result.ping?.latency == 0.02 && result.ping?.jitter == 0.001)
        #expect(result.download?.speedMbps == 8 && result.download?.bytesTransferred == 1_000_000)
        #expect(result.download?.duration == 1)
        let config = SpeedTestConfig(serverURL: "http://192.0.2.1:10319/speedtest")
        #expect(config.serverURL == "http://192.0.2.1:10319/speedtest" && config.protocol == .speedlab)
        #expect(config.networking is TransferNetworking)
        #expect(SpeedTestConfig(serverURL: "https://192.0.2.1", protocol: .librespeed).protocol == .librespeed)
    }

    @Test func `a full test measures all three`() async throws {
        let result = try await SpeedTestCore.runFullTest(config: config())
        #expect(result.ping == PingResult(latency: 0.007, jitter: 0))
        for transfer in [result.download, result.upload] {
            let transfer = try #require(transfer)
            #expect(transfer.speedMbps > 0 && transfer.bytesTransferred > 0 && transfer.duration > 0)
        }
    }

    @Test func `each part is measured by itself`() async throws {
        async let ping = SpeedTestCore.runPingTest(config: config())
        async let download = SpeedTestCore.runDownloadTest(config: config())
        async let upload = SpeedTestCore.runUploadTest(config: config())
        #expect(try await ping == PingResult(latency: 0.007, jitter: 0))
        #expect(try await download.speedMbps > 0)
        #expect(try await upload.speedMbps > 0)
    }

    @Test func `an error is that of the networking`() async {
        for error in [NetworkError.serverUnreachable, .timeout, .invalidResponse] {
            let config = config(SteadyNetworking(error: error))
            await #expect(throws: error) { _ = try await SpeedTestCore.runPingTest(config: config) }
        }
        let refused = config(SteadyNetworking(status: 500))
        await #expect(throws: NetworkError.invalidResponse) { _ = try await SpeedTestCore.runFullTest(config: refused) }
        let nowhere = SpeedTestConfig(serverURL: "nowhere")
        await #expect(throws: NetworkError.serverUnreachable) {
            _ = try await SpeedTestCore.runDownloadTest(config: nowhere)
        }
    }

    @Test func `a cancelled test throws`() async {
        let test = Task { try await SpeedTestCore.runUploadTest(config: config()) }
        test.cancel()
        await #expect(throws: NetworkError.cancelled) { _ = try await test.value }
    }

    /// A result of this is returned even where it counts for no uplink, as on a machine without a network.
    @Test func `both libraries together make a tester`() async throws {
        let tester = RealSpeedTester(config: config())
        let result = try await tester.measureSpeed()
        #expect(result.downloadSpeedMbps > 0 && result.uploadSpeedMbps > 0 && result.latency == 0.007)
        let snapshot = await NetworkHealth.detailedSnapshot(speedTester: MockSpeedTester.goodLTE)
        #expect(snapshot.downloadSpeedMbps == 20)
    }
}
