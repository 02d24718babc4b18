import FoundationEssentials
import SpeedTestCore
import Statistics

/// One test as JSON: of `speedtest --json`, the API and the history; what was not measured is `null`.
struct SpeedTestDocument: Codable, Sendable, Equatable {
    struct Ping: Codable, Sendable, Equatable {
        var latencySeconds: Double
        var jitterSeconds: Double
    }

    struct Transfer: Codable, Sendable, Equatable {
        var speedMbps: Double
        var bytesTransferred: UInt64
        var durationSeconds: Double
        @Nullable var loadedLatencySeconds: Double?
        @Nullable var responsivenessRpm: Double?
        var stable: Bool
        var limitedBy: [DirectionReport.Limit]
        @Nullable var congestionControl: String?

        /// What a second carried.
        var bytesPerSecond: Double { speedMbps * 1e6 / 8 }
    }

    var server: String
    var `protocol`: SpeedTestProtocol
    var host: String
    var startedAt: Date
    var durationSeconds: Double
    @Nullable var ping: Ping?
    @Nullable var download: Transfer?
    @Nullable var upload: Transfer?
    @Nullable var error: String?

    var json: [UInt8] { JSONDocument.encode(self) }
}

extension SpeedTestDocument {
    init(_ report: SpeedTestReport) {
        self.init(
            server: report.server.name,
            protocol: report.server.dialect,
            host: report.host,
            // As it is written, so that a restart does not move it.
            startedAt: Date(timeIntervalSince1970: report.startedAt.timeIntervalSince1970.rounded(.down)),
            durationSeconds: report.duration.seconds.toMicroseconds,
            ping: report.ping.map {
                Ping(
                    latencySeconds: $0.latency.seconds.toMicroseconds,
                    jitterSeconds: $0.jitter.seconds.toMicroseconds
                )
            },
            download: report.download.map(Transfer.init),
            upload: report.upload.map(Transfer.init),
            error: report.failure?.message
        )
    }

    subscript(direction: Direction) -> Transfer? { direction == .download ? download : upload }
}

extension SpeedTestDocument.Transfer {
    init(_ report: DirectionReport) {
        self.init(
            speedMbps: (report.bytesPerSecond * 8 / 1e6).toFiveDigits,
            bytesTransferred: report.bytes,
            durationSeconds: report.window.seconds.toMicroseconds,
            loadedLatencySeconds: report.loadedLatency?.seconds.toMicroseconds,
            responsivenessRpm: report.responsiveness?.toFiveDigits,
            stable: report.isStable,
            limitedBy: report.limits.sorted { $0.rawValue < $1.rawValue },
            congestionControl: report.congestionControl
        )
    }
}
