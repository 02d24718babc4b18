import Testing

@testable import NetworkHealthExporter

@Suite struct ReportTextTests {
    @Test(arguments: [
        (0.0, "0 s"), (59.94, "59.9 s"), (60, "1 min"), (200, "3 min 20 s"), (3600, "1 h"), (90_061, "25 h 1 min"),
    ])
    func `a length is in the two largest units`(seconds: Double, text: String) {
        #expect(ReportText.length(seconds) == text)
    }

    @Test func `100 % is said only where nothing is missing`() {
        #expect(
            ReportText.share(1) == "100 %" && ReportText.share(0.9999999) == "99.999 %" && ReportText.share(0) == "0 %"
        )
    }

    @Test func `one is singular`() {
        #expect((0...2).map { ReportText.counted($0, "minute") } == ["0 minutes", "1 minute", "2 minutes"])
    }
}
