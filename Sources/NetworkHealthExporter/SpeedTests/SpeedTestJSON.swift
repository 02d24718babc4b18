import FoundationEssentials
import SpeedTestCore
import Statistics

/// One test as JSON, for `speedtest --json`, the API, the stream and the storage; what was not measured is `null`.
extension SpeedTestReport: Codable {
    private enum Key: String, CodingKey {
        case server, `protocol`, host, startedAt, durationSeconds, link, uplinkName, ping, download, upload, error
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(server, forKey: .server)
        try container.encode(`protocol`, forKey: .protocol)
        try container.encode(host, forKey: .host)
        try container.encode(startedAt, forKey: .startedAt)
        try container.encode(duration.seconds.toMicroseconds, forKey: .durationSeconds)
        try container.encode(link, forKey: .link)
        try container.encode(uplinkName, forKey: .uplinkName)
        try container.encode(ping, forKey: .ping)
        try container.encode(download, forKey: .download)
        try container.encode(upload, forKey: .upload)
        try container.encode(failure?.message, forKey: .error)
    }

    /// The JSON has neither the reason of a failure nor uplink and traffic: their reader sets them.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            server: try container.decode(String.self, forKey: .server),
            protocol: try container.decode(SpeedTestProtocol.self, forKey: .protocol),
            host: try container.decode(String.self, forKey: .host),
            startedAt: try container.decode(Date.self, forKey: .startedAt)
        )
        duration = try container.duration(.durationSeconds)
        link = try container.decodeIfPresent(Link.self, forKey: .link)
        uplinkName = try container.decodeIfPresent(String.self, forKey: .uplinkName)
        ping = try container.decodeIfPresent(IdleLatency.self, forKey: .ping)
        download = try container.decodeIfPresent(DirectionReport.self, forKey: .download)
        upload = try container.decodeIfPresent(DirectionReport.self, forKey: .upload)
        failure = try container.decodeIfPresent(String.self, forKey: .error).map { SpeedTestFailure(.status, $0) }
    }
}

extension IdleLatency: Codable {
    private enum Key: String, CodingKey {
        case latencySeconds, jitterSeconds
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(latency.seconds.toMicroseconds, forKey: .latencySeconds)
        try container.encode(jitter.seconds.toMicroseconds, forKey: .jitterSeconds)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(latency: try container.duration(.latencySeconds), jitter: try container.duration(.jitterSeconds))
    }
}

extension DirectionReport: Codable {
    private enum Key: String, CodingKey {
        case speedMbps, bytesTransferred, durationSeconds, loadedLatencySeconds, responsivenessRpm
        case stable, uncertaintyRatio, exceedsDevice, limitedBy, otherTrafficMbps, queueLocation
        case congestionControl
    }

    /// In the order of their names.
    var limitNames: [String] { limits.map(\.rawValue).sorted() }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rate.megabits, forKey: .speedMbps)
        try container.encode(bytes, forKey: .bytesTransferred)
        try container.encode(window.seconds.toMicroseconds, forKey: .durationSeconds)
        try container.encode(loadedLatency?.seconds.toMicroseconds, forKey: .loadedLatencySeconds)
        try container.encode(responsiveness?.toFiveDigits, forKey: .responsivenessRpm)
        try container.encode(isStable, forKey: .stable)
        try container.encode(uncertainty, forKey: .uncertaintyRatio)
        try container.encode(exceedsDevice, forKey: .exceedsDevice)
        try container.encode(limitNames, forKey: .limitedBy)
        try container.encode(otherTraffic?.megabits, forKey: .otherTrafficMbps)
        try container.encode(queue, forKey: .queueLocation)
        try container.encode(congestionControl, forKey: .congestionControl)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            rate: try container.rate(.speedMbps),
            bytes: try container.decode(UInt64.self, forKey: .bytesTransferred),
            window: try container.duration(.durationSeconds),
            uncertainty: try container.decodeIfPresent(Double.self, forKey: .uncertaintyRatio)
        )
        loadedLatency = try container.durationIfPresent(.loadedLatencySeconds)
        responsiveness = try container.decodeIfPresent(Double.self, forKey: .responsivenessRpm)
        exceedsDevice = try container.decodeIfPresent(Bool.self, forKey: .exceedsDevice) ?? false
        limits = Set(try container.decode([Limit].self, forKey: .limitedBy))
        otherTraffic =
            try container.decodeIfPresent(Double.self, forKey: .otherTrafficMbps) == nil
            ? nil : container.rate(.otherTrafficMbps)
        queue = try container.decodeIfPresent(QueueLocation.self, forKey: .queueLocation)
        congestionControl = try container.decodeIfPresent(String.self, forKey: .congestionControl)
    }
}

extension KeyedDecodingContainer {
    /// Seconds, in whole microseconds.
    fileprivate func duration(_ key: Key) throws -> Duration {
        let seconds = try decode(Double.self, forKey: key)
        guard (0...1e9).contains(seconds) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(seconds) seconds")
        }
        return .microseconds(Int64((seconds * 1e6).rounded()))
    }

    /// In Mbit/s, a million Gbit/s at most.
    fileprivate func rate(_ key: Key) throws -> BitRate {
        let megabits = try decode(Double.self, forKey: key)
        guard (0...1e9).contains(megabits) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(megabits) Mbit/s")
        }
        return BitRate.megabits(megabits).rounded
    }

    fileprivate func durationIfPresent(_ key: Key) throws -> Duration? {
        try decodeIfPresent(Double.self, forKey: key) == nil ? nil : duration(key)
    }
}
