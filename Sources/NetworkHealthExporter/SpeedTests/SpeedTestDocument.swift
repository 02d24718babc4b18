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
        case uplink, lastSuccessAt, measuredAt
    }

    /// In milliseconds, as tests end: the metrics of a container are those of its host; null where there is no value.
    private struct Times: Codable {
        @Nullable var ping: String?
        @Nullable var download: String?
        @Nullable var upload: String?
    }

    func encode(to encoder: any Encoder) throws {
        var report = last
        report.ping = ping?.value
        for direction in Direction.allCases { report[direction] = transfers[direction]?.value }
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(label, forKey: .uplink)
        func text(_ date: Date?) -> String? {
            date.map { RFC3339.text($0.timeIntervalSince1970, milliseconds: true) }
        }
        try container.encode(text(lastSuccess), forKey: .lastSuccessAt)
        let times = Times(
            ping: text(ping?.at),
            download: text(transfers[.download]?.at),
            upload: text(transfers[.upload]?.at)
        )
        try container.encode(times, forKey: .measuredAt)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var report = try SpeedTestReport(from: decoder)
        report.uplink = try container.decode(String.self, forKey: .uplink)
        let times = try container.decode(Times.self, forKey: .measuredAt)
        func date(_ text: String?) throws -> Date? {
            guard let text else { return nil }
            guard let seconds = RFC3339.parse(text) else {
                throw DecodingError.dataCorruptedError(forKey: .measuredAt, in: container, debugDescription: "no time")
            }
            return Date(timeIntervalSince1970: seconds)
        }
        self.init(
            last: report,
            lastSuccess: try date(container.decodeIfPresent(String.self, forKey: .lastSuccessAt)),
            pingAt: try date(times.ping),
            transfersAt: [.download: try date(times.download), .upload: try date(times.upload)]
                .compactMapValues(\.self)
        )
    }
}
