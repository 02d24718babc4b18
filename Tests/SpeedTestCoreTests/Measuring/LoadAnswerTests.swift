import HTTPTransfer
import Testing

@testable import SpeedTestCore

struct LoadAnswerTests {
    private func reason(
        received: UInt64,
        asked: UInt64 = 1_000_000,
        _ headers: [String: String] = ["content-length": "1"]
    ) -> SpeedTestFailure.Reason? {
        LoadAnswer(SpeedTestResponse(status: 200, headers: headers), received: received).flaw(asked: asked)?.reason
    }

    @Test func `a body that ended as declared may be shorter than requested, but no trifle`() {
        #expect(reason(received: 1_000_000) == nil && reason(received: 65_536) == nil)
        #expect(reason(received: 65_535) == .short && reason(received: 0) == .short)
        #expect(reason(received: 500, asked: 500) == nil)
        #expect(reason(received: 70_000, ["transfer-encoding": "chunked"]) == nil)
    }

    @Test func `a body that ended with its connection has all that was requested`() {
        #expect(reason(received: 999_999, [:]) == .short)
        #expect(reason(received: 1_000_000, [:]) == nil && reason(received: 2_000_000, [:]) == nil)
        // php -S sends whole MiB.
        let whole: UInt64 = 3 << 20
        #expect(reason(received: whole, asked: LibreSpeedDialect.size(3_500_000), [:]) == nil)
    }

    @Test(arguments: [
        "text/html", "Text/HTML; charset=utf-8", " text/html ;x", "application/json", "application/problem+json",
        "application/xhtml+xml", "text/xml",
    ])
    func `a page or a document is no load, whatever its size`(type: String) {
        let headers = ["content-type": type, "content-length": "9000000"]
        #expect(reason(received: 9_000_000, headers) == .status)
        #expect(!LoadAnswer.isLoad(status: 200, contentType: type))
    }

    @Test(arguments: [nil, "", "application/octet-stream", "text/plain", "image/jpeg"] as [String?])
    func `any other type is load with a status of success`(type: String?) {
        for status in [200, 206, nil] { #expect(LoadAnswer.isLoad(status: status, contentType: type)) }
        for status in [304, 404, 500] { #expect(!LoadAnswer.isLoad(status: status, contentType: type)) }
    }
}

extension LibreSpeedDialect {
    fileprivate static func size(_ bytes: UInt64) -> UInt64 {
        WebURL("http://h").map { LibreSpeedDialect(base: $0).size(ofDownload: bytes) } ?? 0
    }
}
