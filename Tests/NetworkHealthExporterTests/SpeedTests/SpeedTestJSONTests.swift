import Foundation
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

struct SpeedTestJSONTests {
    @Test func `has the keys of the contract, and null for what was not measured`() throws {
        let text = String(decoding: SpeedTestReport.failed().json, as: UTF8.self)
        #expect(
            text == """
                {"download":null,"durationSeconds":5,"error":"198.18.0.1:10319 did not answer","host":"198.18.0.1:10319","link":null,\
                "ping":null,"protocol":"speedlab","server":"home","startedAt":"2023-11-14T22:13:20Z","uplinkName":null,"upload":null}
                """
        )
        let good = String(decoding: SpeedTestReport.good().json, as: UTF8.self)
        #expect(
            good.contains(
                """
                "download":{"bytesTransferred":50000000,"congestionControl":"cubic","durationSeconds":4,"exceedsDevice":false,\
                "limitedBy":["data_cap"],"loadedLatencySeconds":0.08,"otherTrafficMbps":null,"queueLocation":null,"responsivenessRpm":500,"speedMbps":100,"stable":true,"uncertaintyRatio":0.01}
                """
            )
        )
        #expect(good.contains(#""ping":{"jitterSeconds":0.001,"latencySeconds":0.02}"#))
        #expect(
            good.contains(
                #""loadedLatencySeconds":null,"otherTrafficMbps":null,"queueLocation":null,"responsivenessRpm":null,"speedMbps":10,"#
            )
        )
        #expect(good.contains(#""error":null"#))
    }

    @Test func `where packets waited is a word, and was not known to earlier versions`() throws {
        let text = String(decoding: SpeedTestReport.queued.json, as: UTF8.self)
        #expect(text.contains(#""queueLocation":"access""#) && text.contains(#""queueLocation":"none""#))
        let earlier = text.replacing(#""queueLocation":"access","#, with: "")
        let read = try #require(JSONDocument.decode(SpeedTestReport.self, from: earlier))
        #expect(read.download?.queue == nil && read.upload?.queue == .nowhere)
    }

    @Test func `the link and other traffic are there, and were not known to earlier versions`() throws {
        let text = String(decoding: SpeedTestReport.queued.json, as: UTF8.self)
        #expect(text.contains(#""link":{"speedMbps":1000,"type":"ethernet"},"#))
        #expect(text.contains(#""otherTrafficMbps":0.3,"#))
        let earlier = text.replacing(#""link":{"speedMbps":1000,"type":"ethernet"},"#, with: "")
            .replacing(#""otherTrafficMbps":0.3,"#, with: "")
        let read = try #require(JSONDocument.decode(SpeedTestReport.self, from: earlier))
        #expect(read.link == nil && read.download?.otherTraffic == nil && read.download?.queue == .access)
    }

    @Test func `numbers have the digits that were measured`() throws {
        let text = String(decoding: SpeedTestReport.uneven.rounded.json, as: UTF8.self)
        for number in [
            #""durationSeconds":12.346"#, #""latencySeconds":0.001235"#, #""jitterSeconds":6.7e-05"#,
            #""speedMbps":941.23"#, #""durationSeconds":5,"#, #""responsivenessRpm":1234.6"#,
            #""loadedLatencySeconds":0.080123"#, #""speedMbps":0.012346"#,
        ] {
            #expect(text.contains(number), "\(number) in \(text)")
        }
    }

    @Test(
        arguments: [
            (0, 0), (1.0 / 3, 0.33333), (99_999.6, 100_000), (123_456.7, 123_457), (-0.000_123_456, -0.000_123_46),
        ] as [(Double, Double)]
    )
    func `a number is rounded to five significant digits`(value: Double, rounded: Double) {
        #expect(value.toFiveDigits == rounded)
    }

    @Test(arguments: [SpeedTestReport.good(), .good(at: 1000.75), .uneven, .failed(), .queued])
    func `reads what it wrote`(report: SpeedTestReport) throws {
        let written = report.rounded
        var read = try #require(
            JSONDocument.decode(SpeedTestReport.self, from: String(decoding: written.json, as: UTF8.self))
        )
        #expect(read.json == written.json && read.endedAt == written.endedAt)
        // The table of the storage has these in columns of their own.
        (read.uplink, read.traffic, read.failure) = (written.uplink, written.traffic, written.failure)
        #expect(read == written)
    }

    @Test(arguments: ["", "{}", "[1]", #"{"server":1}"#, Self.endless]) func `any other JSON is not a report`(
        text: String
    ) {
        #expect(JSONDocument.decode(SpeedTestReport.self, from: text) == nil)
    }

    private static let endless = String(decoding: SpeedTestReport.good().json, as: UTF8.self)
        .replacing(#""durationSeconds":12.5"#, with: #""durationSeconds":1e300"#)
}

extension SpeedTestReport {
    /// A test whose numbers have more digits than are measured.
    fileprivate static var uneven: SpeedTestReport {
        var report = SpeedTestReport.good()
        report.duration = .nanoseconds(12_345_678_901)
        report.ping = IdleLatency(latency: .nanoseconds(1_234_567), jitter: .nanoseconds(66_666))
        report.download = .of(941.234_567_89) {
            $0.window = .nanoseconds(5_000_000_123)
            $0.responsiveness = 1234.6
            $0.loadedLatency = .nanoseconds(80_123_456)
        }
        report.upload = .of(0.012_345_678)
        return report
    }
}
