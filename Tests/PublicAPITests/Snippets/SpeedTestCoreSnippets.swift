import SpeedTestCore

// The documentation's code, line by line, with no other import; compiled and not run.

private func testing() async throws {
    let config = SpeedTestConfig(serverURL: "http://192.0.2.1:10319/speedtest")
    let result = try await SpeedTestCore.runFullTest(config: config)
    if let download = result.download, let upload = result.upload, let ping = result.ping {
        print("\(download.speedMbps) Mbit/s down, \(upload.speedMbps) up, \(ping.latency * 1000) ms")
    }
}

private func testingParts(_ config: SpeedTestConfig) async throws {
    let ping = try await SpeedTestCore.runPingTest(config: config)
    let download = try await SpeedTestCore.runDownloadTest(config: config)
    let upload = try await SpeedTestCore.runUploadTest(config: config)
    print(ping.jitter, download.bytesTransferred, upload.duration)
}

private func following(_ config: SpeedTestConfig) async throws {
    for try await event in SpeedTestCore.events(config: config) {
        switch event {
        case .progress(let phase, let fraction, let speedMbps):
            print(phase, fraction, speedMbps ?? 0)
        case .finished(let result):
            print(result)
        }
    }
}

private func failing(_ config: SpeedTestConfig) async {
    do {
        _ = try await SpeedTestCore.runPingTest(config: config)
    } catch NetworkError.serverUnreachable {
        print("There is no such server: check its address")
    } catch {
        print(error)
    }
}

private struct FixedNetworking: SpeedTestNetworking {
    func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
        SpeedTestResponse(status: 200, body: Array(#"{"status":"pong"}"#.utf8), latency: .milliseconds(7))
    }

    func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse {
        throw NetworkError.serverUnreachable
    }

    func upload(
        _ request: SpeedTestRequest,
        byteCount: Int,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse {
        throw NetworkError.serverUnreachable
    }
}

private func configuring() -> SpeedTestConfig {
    let fixed = SpeedTestConfig(serverURL: "http://192.0.2.1", protocol: .speedlab, networking: FixedNetworking())
    return fixed
}
