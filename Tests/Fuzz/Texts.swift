import HTTPTransfer
import Lab
import Netlink
import NetworkPath
import Probing

/// What files, web servers and routers say in text.
extension FuzzReader {
    static var url: FuzzReader {
        FuzzReader(
            seeds: texts(
                "http://example.test/a?b#c",
                "https://[2001:db8::1]:8443/",
                "https://user@192.0.2.1:1/%00/../"
            ),
            words: texts("@", ":", "[", "]", "%", "/", "//", "?", "#", "65536", "\r\n", " ", "http://", "[::]", "\\"),
            read: fuzzURL
        )
    }

    static var numericDate: FuzzReader {
        FuzzReader(
            seeds: texts("2026-11-21 12:00:00 GMT", "2024-02-29 00:00:00 GMT", "9999-12-31 23:59:59 GMT"),
            words: texts("0", "1", "2", "9", "-", ":", " ", "29", "31", "60", "GMT"),
            read: fuzzNumericDate
        )
    }

    static var httpDate: FuzzReader {
        FuzzReader(
            seeds: texts(
                "Sun, 06 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994"
            ),
            words: texts("0", "9", "-", ":", " ", ",", "29", "31", "60", "Feb", "GMT", "9999"),
            read: fuzzHTTPDate
        )
    }

    static var nameservers: FuzzReader {
        FuzzReader(
            seeds: texts(
                "# local\nnameserver 127.0.0.53\nsearch a.test\nnameserver fe80::1%eth0\nnameserver\t192.0.2.1 x\n"
            ),
            words: texts("nameserver ", "\n", "\t", " ", "%", "::", "192.0.2.1", "#", "\u{0}", "options edns0"),
            read: fuzzNameservers
        )
    }

    static var captivePortal: FuzzReader {
        FuzzReader(
            seeds: texts(
                """
                {"captive": true, "user-portal-url": "https://example.org/portal.html", "seconds-remaining": 326,
                "bytes-remaining": 18446744073709551615, "can-extend-session": true, "venue-info-url": null, "x": [{}]}
                """
            ),
            words: json,
            read: fuzzCaptivePortal
        )
    }

    static var portalOption: FuzzReader {
        FuzzReader(
            seeds: texts("https://portal.example.org/api\u{0}\u{0}", "urn:ietf:params:capport:unrestricted"),
            words: texts("https://", "HTTP", "\u{0}", "é"),
            read: fuzzPortalOption
        )
    }

    static var graphQL: FuzzReader {
        FuzzReader(
            seeds: texts(
                #"{"data":{"a":[1,2.5e3,true,null]},"errors":[]}"#,
                #"{"errors":[{"message":"\u00e4\ud83d\ude00"}],"data":null}"#
            ),
            words: json + texts(#"[[[{"data":"x"}]]]"#, "\u{feff}", String(repeating: "[", count: 600)),
            read: fuzzGraphQL
        )
    }

    /// Patterns of an operator against one body.
    static var bodyPattern: FuzzReader {
        let body = Array("ab01 ß<ab>#!".utf8)
        return FuzzReader(
            seeds: texts("(?<=a.)b|^(x(?1)?y)$", #"(\w+)\s\1"#, "[äöü]+.€?", "(a|b)*+?"),
            words: "ab()[]{}*+?|\\^$.<>=!:-,0129Qx#ßP&".map { Array(String($0).utf8) },
            isCut: false,
            read: { source in
                guard let pattern = try? BodyPattern(String(decoding: source, as: UTF8.self)) else { return false }
                _ = pattern.match(body)
                return true
            }
        )
    }

    /// Bodies of a server against an operator's patterns.
    static var body: FuzzReader {
        let sources = [#"(?i)"status":\s*"(up|ok)""#, "[äöü]+.€?", #"(\w+)\s\1"#, "(?<=a.)b|^(x(?1)?y)$", #"\bé\B.$"#]
        let patterns = sources.compactMap { try? BodyPattern($0) }
        return FuzzReader(
            seeds: texts("\"Status\": \"ok\"", "äö x\u{20ac}é", "ab ab", "xxyy"),
            words: texts("ä", "\u{20ac}", "é", " ab ab", "\"status\": \"up\"") + [[0xc3], [0xe2, 0x82], [0xff]],
            isCut: false,
            read: { body in
                guard patterns.count == sources.count else { throw Finding("a pattern does not compile") }
                return patterns.map { $0.match(body) }.contains(.matched)
            }
        )
    }

    static let json = texts("\"", "[", "{", "}", "]", ",", ":", "9e9", "-", "\\u", "null", "true", "1e400")
}
