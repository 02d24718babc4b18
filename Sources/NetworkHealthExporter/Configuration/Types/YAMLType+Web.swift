import HTTPTransfer
import Posix
import StrictYAML

extension YAMLType where Value == Int {
    static var httpStatus: YAMLType { .int(in: 100...599) }
}

extension YAMLType where Value == String {
    /// An absolute URL without user info.
    static func url(_ schemes: [String]) -> YAMLType {
        let example = schemes.contains("http") ? "http://example.com/health" : "https://example.com/health"
        let expectation = "an absolute \(schemes.joined(separator: " or ")) URL without user info such as \(example)"
        return url(schemes, expectation) { $0.userInfo == nil }
    }

    /// A proxy's URL, which may have user info.
    static var proxyURL: YAMLType {
        url(
            ["http", "https", "socks5"],
            "a proxy's URL such as http://proxy.example.com:3128",
            write: { .quoted(WebURL.masked($0)) },
            { _ in true }
        )
    }

    private static func url(
        _ schemes: [String],
        _ expectation: String,
        write: @escaping (String) -> YAMLText = YAMLText.quoted,
        _ test: @escaping (WebURL) -> Bool
    ) -> YAMLType {
        YAMLType(
            expectations: [expectation],
            read: { cursor throws(YAMLError) in
                let text = try YAMLType.text(expectation) { $0 }.read(cursor)
                guard let url = WebURL.plain(text, schemes), test(url) else {
                    throw cursor.mismatch(expectation)
                }
                return text
            },
            write: write
        )
    }

    /// A text that no message shows.
    static func secret(_ expectation: String, _ test: @escaping (String) -> Bool) -> YAMLType {
        YAMLType(
            expectations: [expectation],
            read: { cursor throws(YAMLError) in
                let text = try YAMLType.text(expectation) { $0 }.read(cursor)
                guard test(text) else { throw cursor.error("expected \(expectation)") }
                return text
            },
            write: { _ in .secret }
        )
    }

    /// The value of a header (RFC 9110 section 5.5), or a part of it.
    static var headerValue: YAMLType {
        .secret("a header's value: one line without control characters", HeaderText.isValue)
    }

    /// The name of a header that HTTP does not set itself.
    static var headerName: YAMLType {
        let expectation = "a header's name that HTTP does not set itself"
        return YAMLType(
            expectations: [expectation],
            read: { cursor throws(YAMLError) in
                let text = try YAMLType.text(expectation) { $0 }.read(cursor)
                let isTaken = ["connection", "content-length", "transfer-encoding", "upgrade"].contains(
                    text.lowercased()
                )
                guard HeaderRules.isName(text), !isTaken else {
                    throw cursor.error("expected \(expectation), found \(quotedKey(text))")
                }
                return text
            }
        )
    }
}

/// The grammar of headers (RFC 9110).
enum HeaderText {
    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7f }
    }
}

extension WebURL {
    /// nil for characters that need no place in a URL, and for a host that is neither a name nor an address.
    static func plain(_ text: String, _ schemes: [String]) -> WebURL? {
        guard text.utf8.allSatisfy({ $0 < 0x7f && !"\"\\".utf8.contains($0) }),
            let url = WebURL(text, schemes: Set(schemes)),
            // An address with a device is valid on one machine only.
            let place = HostPort("\(url.hostPort)"), place.zone == nil
        else { return nil }
        return url
    }
}
