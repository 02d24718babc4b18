import Foundation
import Testing

/// What `GET /api/v1/speedtest` answers.
struct SpeedTestJSON: Decodable, Equatable, Sendable {
    struct Ping: Decodable, Equatable, Sendable {
        var latencySeconds, jitterSeconds: Double
    }

    struct Transfer: Decodable, Equatable, Sendable {
        var speedMbps: Double
        var bytesTransferred: Int
        var durationSeconds: Double
        var loadedLatencySeconds: Double?
        var responsivenessRpm: Double?
        var stable: Bool
        var exceedsDevice: Bool
        var limitedBy: [String]

        var bytesPerSecond: Double { speedMbps * 1e6 / 8 }
    }

    var server: String
    var startedAt: String
    var durationSeconds: Double
    var ping: Ping?
    var download, upload: Transfer?
    var error: String?
}

extension ExporterProcess {
    private static let path = "/api/v1/speedtest"

    /// The last test; nil before the first.
    func lastSpeedTest() async throws -> SpeedTestJSON? {
        let response = try await request(Self.path)
        guard response.status == 200 else { return nil }
        return try JSONDecoder().decode(SpeedTestJSON.self, from: Data(response.body.utf8))
    }

    /// Asks for a test; the status of the answer.
    func startSpeedTest() async throws -> Int { try await request(Self.path, method: "POST").status }

    /// Has a test made, and waits for its end.
    func makeSpeedTest() async throws -> SpeedTestJSON {
        let last = try await lastSpeedTest()?.startedAt
        #expect(try await startSpeedTest() == 202)
        return try await poll("the end of the speed test", within: .seconds(90)) {
            try await Task.sleep(for: .milliseconds(250))  // asking is work too, on the cores that are measured with
            return try await lastSpeedTest().flatMap { $0.startedAt == last ? nil : $0 }
        }
    }

    /// Starts a test and waits until it has moved so many bytes.
    func makeSpeedTest(move bytes: Int) async throws {
        #expect(try await startSpeedTest() == 202)
        try await poll("\(bytes) bytes of a speed test", within: .seconds(60)) {
            let moved = try await speedTestSample("receive_bytes_total", "transmit_bytes_total")
            return moved >= Double(bytes) ? true : nil
        }
    }

    /// The sum of samples of the exporter's families `network_health_speedtest_…`, which must be there.
    func speedTestSample(_ names: String...) async throws -> Double {
        let samples = try await request("/metrics").samples
        return try names.map { name in
            try #require(samples["network_health_speedtest_\(name)"].flatMap(Double.init), "\(name)")
        }.reduce(0, +)
    }
}
