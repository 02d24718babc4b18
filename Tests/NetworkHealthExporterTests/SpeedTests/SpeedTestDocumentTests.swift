import Foundation
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct SpeedTestDocumentTests {
    @Test func `has the keys of the contract, and null for what was not measured`() throws {
        let text = String(decoding: SpeedTestDocument(.failed()).json, as: UTF8.self)
        #expect(
            text == """
                {"download":null,"durationSeconds":5,"error":"198.18.0.1:10319 did not answer","host":"198.18.0.1:10319",\
                "ping":null,"protocol":"speedlab","server":"home","startedAt":"2023-11-14T22:13:20Z","upload":null}
                """
        )
        let good = String(decoding: SpeedTestDocument(.good()).json, as: UTF8.self)
        #expect(
            good.contains(
                """
                "download":{"bytesTransferred":50000000,"congestionControl":"cubic","durationSeconds":4,"limitedBy":["data_cap"],\
                "loadedLatencySeconds":0.08,"responsivenessRpm":500,"speedMbps":100,"stable":true}
                """
            )
        )
        #expect(good.contains(#""ping":{"jitterSeconds":0.001,"latencySeconds":0.02}"#))
        #expect(good.contains(#""loadedLatencySeconds":null,"responsivenessRpm":null,"speedMbps":10,"#))
        #expect(good.contains(#""error":null"#))
    }

    @Test(arguments: [SpeedTestReport.good(), .good(at: 1000.75), .failed()])
    func `reads what it wrote`(report: SpeedTestReport) {
        let document = SpeedTestDocument(report)
        let text = String(decoding: document.json, as: UTF8.self)
        #expect(JSONDocument.decode(SpeedTestDocument.self, from: text) == document)
    }

    @Test(arguments: ["", "{}", "[1]", #"{"server":1}"#]) func `what is no document reads as none`(text: String) {
        #expect(JSONDocument.decode(SpeedTestDocument.self, from: text) == nil)
    }
}
