import Foundation
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

/// What an exporter answers about its speed tests, as another one in a container reads it.
struct HostSpeedTestsTests {
    private static let uplink = "wg0/wwan0 198.18.0.254"

    private static func results(_ reports: SpeedTestReport...) -> SpeedTestDocument {
        let results = SpeedTestResults(reports)
        return SpeedTestDocument(
            last: LastSpeedTest(report: reports[reports.count - 1], bytesPerMonth: 8_700_000_000),
            results: results.servers
        )
    }

    private static func read(_ document: SpeedTestDocument) -> SpeedTestDocument? {
        HostSpeedTests(String(decoding: document.json, as: UTF8.self))?.document
    }

    /// The JSON of a good test, with one change of its text.
    private static func read(_ text: String, as other: String) throws -> HostSpeedTests? {
        let json = String(decoding: results(.good()).json, as: UTF8.self)
        try #require(json.contains(text), "\(json)")
        return HostSpeedTests(json.replacing(text, with: other))
    }

    @Test func `the metrics are those of the host, each value with its time`() throws {
        var half = SpeedTestReport.failed(.reset, at: 1_700_000_500.25, uplink: Self.uplink)
        half.download = .of(50)
        var good = SpeedTestReport.good(uplink: Self.uplink)
        good.duration += .microseconds(345_678)
        let document = Self.results(good.rounded, half.rounded, .failed(uplink: "local").rounded)
        let read = try #require(Self.read(document))
        let (expected, found) = (SpeedTestMetrics.measured(document.results), SpeedTestMetrics.measured(read.results))
        #expect(printed(found) == printed(expected))
        let labels = #"{server="home",uplink="wwan0"}"#
        for line in [
            "download_bytes_per_second\(labels) 6250000", "upload_bytes_per_second\(labels) 1250000",
            "success\(labels) 0", "last_success_timestamp_seconds\(labels) 1700000012.846",
            "last_run_timestamp_seconds\(labels) 1700000505", #"success{server="home",uplink="local"} 0"#,
        ] {
            #expect(printed(found).contains("network_health_speedtest_\(line)"), "\(line)")
        }
        #expect(read.results.first?.transfers[.upload]?.at == Date(timeIntervalSince1970: 1_700_000_012.846))
        #expect(read.json == document.json, "and so is the answer")
    }

    @Test func `an exporter of an earlier version has its last test, and no results`() throws {
        let json = String(decoding: SpeedTestReport.good().json, as: UTF8.self)
        let read = try #require(HostSpeedTests(json)?.document)
        #expect(read.last.report.download == SpeedTestReport.good().download && read.results.isEmpty)
        #expect(SpeedTestMetrics.measured(read.results).isEmpty)
    }

    @Test func `what no exporter writes is not kept`() throws {
        for (text, other) in [
            (#""speedMbps":100,"#, #""speedMbps":1e300,"#), (#""speedMbps":100,"#, #""speedMbps":-1,"#),
            (#""responsivenessRpm":500"#, #""responsivenessRpm":-500"#),
            (#""durationSeconds":4,"#, #""durationSeconds":1e99,"#),
            (#""server":"home""#, #""server":"a\nb""#),
            (#""congestionControl":"cubic""#, #""congestionControl":"\u0000""#),
            (#""server":"home""#, "\"server\":\"\(String(repeating: "a", count: 129))\""),
            (#""startedAt":"2023-11-14T22:13:20Z""#, #""startedAt":"1023-11-14T22:13:20Z""#),
        ] {
            #expect(try Self.read(text, as: other) == nil, "\(other)")
        }
        for (text, other) in [
            (#""lastSuccessAt":"2023-11-14T22:13:32.500Z""#, #""lastSuccessAt":"9999-11-14T22:13:32.500Z""#),
            (#""lastSuccessAt":"2023-11-14T22:13:32.500Z""#, #""lastSuccessAt":"2023-11-14""#),
            (#""measuredAt":{"download":"2023-"#, #""measuredAt":{"download":"1969-"#),
            (#""measuredAt":{"#, #""measuredAt":7,"x":{"#),
        ] {
            let read = try #require(try Self.read(text, as: other)?.document, "\(other)")
            #expect(read.results.isEmpty, "\(other)")
        }
        for text in ["", "[]", "null", #"{"results":[]}"#, String(repeating: "[", count: 100_000)] {
            #expect(HostSpeedTests(text) == nil)
        }
    }

    @Test func `the largest number of bytes in a month is shown`() throws {
        let key = #""estimatedBytesPerMonth":"#
        let read = try #require(try Self.read("\(key)8700000000", as: "\(key)\(UInt64.max)")?.document)
        #expect(String(decoding: read.json, as: UTF8.self).contains("about 18446744 TB a month"))
    }

    @Test func `a series is there once, a later protocol is left out, and the number of results is bounded`() throws {
        var document = Self.results(.good())
        document.results += document.results
        #expect(Self.read(document)?.results.count == 1)
        document.results = (0..<100).map { number in
            let server = SpeedTestServer(name: "s\(number)", dialect: .speedlab, url: "http://198.18.0.1/")
            return SpeedTestResults.Values(.good(server: server))
        }
        #expect(Self.read(document)?.results.count == SpeedTestDocument.maxResults)
        document.results = SpeedTestResults([.good(), .good(uplink: "wlan0")]).servers
        let json = String(decoding: document.json, as: UTF8.self)
        let index = try #require(json.range(of: #""protocol":"speedlab""#, options: .backwards))
        let later = HostSpeedTests(json.replacingCharacters(in: index, with: #""protocol":"quic""#))
        #expect(later?.document?.results.count == 1 || later == nil)
    }
}
