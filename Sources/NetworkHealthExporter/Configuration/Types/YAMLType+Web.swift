import HTTPTransfer
import Posix
import StrictYAML

extension YAMLType where Value == Int {
    static var httpStatus: YAMLType { .int(in: 100...599) }
}

extension YAMLType where Value == String {
    /// An absolute URL without user info, which no message shows: a password may stand there.
    static func url(_ schemes: [String]) -> YAMLType {
        let example = schemes.contains("http") ? "http://example.com/health" : "https://example.com/health"
        let expectation = "an absolute \(schemes.joined(separator: " or ")) URL without user info such as \(example)"
        return url(schemes, expectation) { $0.userInfo == nil }
    }

    /// A proxy's URL, which may have user info.
    static var proxyURL: YAMLType {
        url(["http", "https", "socks5"], "a proxy's URL such as http://proxy.example.com:3128") { _ in true }
    }

    private static func url(
        _ schemes: [String],
        _ expectation: String,
        _ test: @escaping (WebURL) -> Bool
    ) -> YAMLType {
        YAMLType(expectations: [expectation]) { cursor throws(YAMLError) in
            let text = try YAMLType.text(expectation) { $0 }.read(cursor)
            // No device: its name would be another one on another host.
            guard text.utf8.allSatisfy({ $0 < 0x7f && !"\"\\".utf8.contains($0) }),
                let url = WebURL(text, schemes: Set(schemes)),
                HostPort("\(url.hostPort)").map({ $0.zone == nil }) == true,
                test(url)
            else {
                throw text.contains("@") ? cursor.error("expected \(expectation)") : cursor.mismatch(expectation)
            }
            return text
        }
    }

    /// A text that no message shows.
    static func secret(_ expectation: String, _ test: @escaping (String) -> Bool) -> YAMLType {
        YAMLType(expectations: [expectation]) { cursor throws(YAMLError) in
            let text = try YAMLType.text(expectation) { $0 }.read(cursor)
            guard test(text) else { throw cursor.error("expected \(expectation)") }
            return text
        }
    }

    /// What may stand behind the name of a header (RFC 9110 section 5.5), or in a part of it.
    static var headerValue: YAMLType {
        .secret("a header's value: one line without control characters", HeaderText.isValue)
    }

    /// The name of a header that is not a matter of HTTP itself.
    static var headerName: YAMLType {
        .text("a header's name that HTTP does not set itself") { text in
            let isTaken = ["connection", "content-length", "transfer-encoding", "upgrade"].contains(text.lowercased())
            return HeaderText.isToken(text) && !isTaken ? text : nil
        }
    }
}
