import Testing

@testable import MicroHTTP

struct RequestRulesTests {
    private static func headers(_ text: String) -> Headers {
        var headers = Headers()
        for line in text.split(separator: "|") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            headers.add(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        return headers
    }

    @Test(arguments: [
        ("Host:a", false, RequestRules.Framing.none),
        ("", true, .none),
        ("hOST:a|content-length:0", false, .none),
        ("Host:a|Content-Length:12", false, .length(12)),
        ("Host:a|Content-Length:99999999999999999999", false, .length(.max)),
        ("Host:a|transfer-encoding:Chunked", false, .chunked),
    ])
    func `Determines where the body ends`(text: String, isHTTP10: Bool, framing: RequestRules.Framing) throws {
        #expect(try RequestRules.framing(of: Self.headers(text), isHTTP10: isHTTP10) == framing)
    }

    @Test(arguments: [
        ("", false),
        ("Host:a|Host:b", false),
        ("Host:a|Host:b", true),
        ("Host:a|Content-Length:1|Content-Length:1", false),
        ("Host:a|Content-Length:1|Transfer-Encoding:chunked", false),
        ("Host:a|Transfer-Encoding:chunked|Transfer-Encoding:chunked", false),
        ("Host:a|Transfer-Encoding:gzip, chunked", false),
        ("Host:a|Transfer-Encoding:identity", false),
        ("Transfer-Encoding:chunked", true),
        ("Host:a|Content-Length:", false),
        ("Host:a|Content-Length:+1", false),
        ("Host:a|Content-Length:1, 1", false),
        ("Host:a|Content-Length:0x1", false),
        ("Host :a", false),
        ("Host:a|Content Length:1", false),
        ("Host:a|:b", false),
    ])
    func `Refuses ambiguous framing`(text: String, isHTTP10: Bool) {
        #expect(throws: RequestError.self) {
            try RequestRules.framing(of: Self.headers(text), isHTTP10: isHTTP10)
        }
    }
}
