import MicroHTTP
import Testing

@testable import NetworkHealthExporter

struct RequestOriginTests {
    @Test(
        arguments: [
            ([:], false), (["Host": "h:1", "Origin": "http://h:1"], false),
            (["Host": "h:1", "Origin": "https://H:1"], false), (["Host": "h:1", "Origin": "http://h:2"], true),
            (["Host": "h:1", "Origin": "http://evil"], true), (["Host": "h:1", "Origin": "null"], true),
            (["Origin": "http://h:1"], true), (["Host": "h:1", "Origin": "http://h:1.evil"], true),
            (["Host": "h:1", "Sec-Fetch-Site": "same-origin"], false),
            (["Host": "h:1", "Sec-Fetch-Site": "none"], false),
            (["Host": "h:1", "Sec-Fetch-Site": "cross-site"], true),
            (["Host": "h:1", "Sec-Fetch-Site": "same-site"], true),
            (["Host": "h:1", "Sec-Fetch-Site": "cross-site", "Origin": "http://h:1"], true),
        ] as [([String: String], Bool)]
    )
    func `a page of another site is foreign`(fields: [String: String], expected: Bool) {
        var headers: Headers = [:]
        for (name, value) in fields { headers.add(name, value) }
        #expect(RequestOrigin.isForeign(Request(method: .post, headers: headers)) == expected)
    }
}
