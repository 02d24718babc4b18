import Foundation
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct ServerResultsTests {
    @Test func `a failed test leaves the last good values`() {
        var results = ServerResults(SpeedTestRecord(.good(at: 1000)))
        results.add(SpeedTestRecord(.failed(at: 5000)))
        #expect(results.last.failure == .timeout)
        #expect(results.lastSuccess == Date(timeIntervalSince1970: 1012.5))
        #expect(results.transfers[.download]?.value.speedMbps == 100)
        #expect(results.ping?.value.latencySeconds == 0.02)
    }

    @Test func `what a half-failed test did measure is taken`() {
        var results = ServerResults(SpeedTestRecord(.good(at: 1000)))
        var half = SpeedTestReport.failed(.reset, at: 5000)
        half.download = .of(50)
        results.add(SpeedTestRecord(half))
        #expect(results.transfers[.download]?.value.speedMbps == 50)
        #expect(results.transfers[.upload]?.value.speedMbps == 10)
        #expect(results.lastSuccess == Date(timeIntervalSince1970: 1012.5))
    }

    @Test func `values older than a date are dropped, each by its own age`() {
        var results = ServerResults(SpeedTestRecord(.good(at: 1000)))
        var half = SpeedTestReport.failed(.reset, at: 5000)
        half.download = .of(50)
        results.add(SpeedTestRecord(half))
        let kept = results.dropping(before: Date(timeIntervalSince1970: 2000))
        #expect(kept.transfers[.download]?.value.speedMbps == 50)
        #expect(kept.transfers[.upload] == nil && kept.ping == nil)
        #expect(kept.last == results.last)
    }
}
