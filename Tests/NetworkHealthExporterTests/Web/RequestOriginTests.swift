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

    @Test(
        arguments: [
            // curl, and Node's `fetch` and `WebSocket`.
            (["Host": "h:1"], nil),
            (["Host": "h:1", "Accept-Language": "*", "Sec-Fetch-Mode": "cors"], nil),
            (["Host": "h:1", "Accept-Language": "*", "Sec-Fetch-Mode": "websocket"], nil),
            // URLSession on Linux.
            (["Host": "h:1", "Accept-Language": "en", "User-Agent": "app (unknown version) curl/8.9.1"], nil),
            (["Host": "h:1", "Accept-Language": "en", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"], ""),
            // A program: a browser always has a User-Agent, and a page cannot leave it out.
            (["Host": "h:1", "Accept-Language": "en"], nil),
            (
                [
                    "Host": "h:1", "Accept-Language": "en", "User-Agent": "app curl/8.9.1",
                    "Origin": "http://b.example",
                ], "http://b.example"
            ),
            (
                [
                    "Host": "h:1", "Accept-Language": "en", "User-Agent": "app curl/8.9.1",
                    "Referer": "http://b.example/",
                ], "http://b.example"
            ),
            // A page can set this language, but no header whose name begins with Sec-.
            (["Host": "h:1", "Accept-Language": "*", "User-Agent": "Mozilla/5.0"], ""),
            (["Host": "h:1", "Accept-Language": "*", "Referer": "http://b.example/"], "http://b.example"),
            // What browsers send to localhost and over TLS, and older ones.
            (["Host": "h:1", "Accept-Language": "*", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Site": "cross-site"], ""),
            (
                [
                    "Host": "h:1", "Accept-Language": "en", "User-Agent": "Mozilla/5.0", "Sec-Fetch-Mode": "no-cors",
                ], ""
            ),
            (
                ["Host": "h:1", "Accept-Language": "*", "Sec-Fetch-Mode": "cors", "Origin": "http://b.example"],
                "http://b.example"
            ),
            (
                ["Host": "h:1", "Accept-Language": "*", "Sec-Fetch-Mode": "cors", "Referer": "http://b.example/"],
                "http://b.example"
            ),
        ] as [([String: String], String?)]
    )
    func `Node and URLSession are not taken for a browser, and no page can pass for them`(
        fields: [String: String],
        page: String?
    ) {
        var headers: Headers = [:]
        for (name, value) in fields { headers.add(name, value) }
        #expect(RequestOrigin.foreignPage(Request(method: .get, headers: headers)) == page)
    }
}
