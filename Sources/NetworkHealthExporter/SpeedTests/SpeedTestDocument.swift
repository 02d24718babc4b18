import FoundationEssentials
import NetworkHealth
import SpeedTestCore

/// `GET /api/v1/speedtest`: the last test, and the values that `/metrics` has.
struct SpeedTestDocument: Codable, Sendable, Equatable {
    /// Results of another exporter that are read.
    static let maxResults = 64

    var last: LastSpeedTest
    /// For each server and device the last good values.
    var results: [SpeedTestResults.Values]

    private enum Key: String, CodingKey { case results }

    init(last: LastSpeedTest, results: [SpeedTestResults.Values]) { (self.last, self.results) = (last, results) }

    func encode(to encoder: any Encoder) throws {
        try last.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(results, forKey: .results)
    }

    /// A result that this version cannot read is left out.
    init(from decoder: any Decoder) throws {
        last = try LastSpeedTest(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        let results = try container.decodeIfPresent([Readable<SpeedTestResults.Values>].self, forKey: .results) ?? []
        self.results = results.prefix(Self.maxResults).compactMap(\.value)
    }
}

/// A value that is nil where it cannot be read.
private struct Readable<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}

/// The last test, and what tests use in a month where that is known.
struct LastSpeedTest: Codable, Sendable, Equatable {
    let report: SpeedTestReport
    let bytesPerMonth: UInt64?

    private enum Key: String, CodingKey {
        case uplink, estimatedBytesPerMonth, estimate
    }

    init(report: SpeedTestReport, bytesPerMonth: UInt64?) {
        (self.report, self.bytesPerMonth) = (report, bytesPerMonth)
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(report.uplinkLabel, forKey: .uplink)
        try container.encode(bytesPerMonth, forKey: .estimatedBytesPerMonth)
        try container.encode(bytesPerMonth.map(SpeedTestText.perMonth), forKey: .estimate)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var report = try SpeedTestReport(from: decoder)
        report.uplink = try container.decodeIfPresent(String.self, forKey: .uplink) ?? ""
        self.init(
            report: report,
            bytesPerMonth: try container.decodeIfPresent(UInt64.self, forKey: .estimatedBytesPerMonth)
        )
    }
}

/// The last test with the last good values in the place of its own, and the end of the test that measured each.
extension SpeedTestResults.Values: Codable {
    private enum Key: String, CodingKey {
        case uplink, lastSuccessTimestampSeconds, measuredTimestampSeconds
    }

    /// Unix time, as in the metrics; null where there is no value.
    private struct Times: Codable {
        @Nullable var ping: Double?
        @Nullable var download: Double?
        @Nullable var upload: Double?
    }

    func encode(to encoder: any Encoder) throws {
        var report = last
        report.ping = ping?.value
        for direction in Direction.allCases { report[direction] = transfers[direction]?.value }
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(label, forKey: .uplink)
        try container.encode(lastSuccess?.timeIntervalSince1970, forKey: .lastSuccessTimestampSeconds)
        let times = Times(
            ping: ping?.at.timeIntervalSince1970,
            download: transfers[.download]?.at.timeIntervalSince1970,
            upload: transfers[.upload]?.at.timeIntervalSince1970
        )
        try container.encode(times, forKey: .measuredTimestampSeconds)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var report = try SpeedTestReport(from: decoder)
        report.uplink = try container.decode(String.self, forKey: .uplink)
        let times = try container.decode(Times.self, forKey: .measuredTimestampSeconds)
        func date(_ seconds: Double?) -> Date? { seconds.map(Date.init(timeIntervalSince1970:)) }
        let lastSuccess = try container.decodeIfPresent(Double.self, forKey: .lastSuccessTimestampSeconds)
        self.init(
            last: report,
            lastSuccess: date(lastSuccess),
            pingAt: date(times.ping),
            transfersAt: [.download: date(times.download), .upload: date(times.upload)].compactMapValues(\.self)
        )
    }
}
