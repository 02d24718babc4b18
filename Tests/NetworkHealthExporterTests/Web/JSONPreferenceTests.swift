import Testing

@testable import NetworkHealthExporter

struct JSONPreferenceTests {
    @Test(arguments: [
        ("", false), ("*/*", false), ("application/json", true), ("text/plain", false), ("text/html,*/*;q=0.8", false),
        ("application/json, text/plain", false), ("application/json, text/plain;q=0.9", true),
        ("text/plain, application/json;q=0.9", false), ("application/json;q=0", false), ("Application/JSON", true),
        ("application/json ; q=0.5 , */*", true), ("application/json; charset=utf-8; q=0.2, text/*;q=0.1", true),
        ("application/json;q=x", true), (",;,", false), ("application/json, */*", true),
        ("application/*", true), ("application/*, text/plain", false), ("application/json;q=0, application/*", false),
    ])
    func `JSON must be named with a higher weight than text`(accept: String, expected: Bool) {
        #expect(JSONDocument.isPreferred(by: accept) == expected)
    }
}
