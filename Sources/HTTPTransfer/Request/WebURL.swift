import CCurl
package import Posix

/// An absolute URL with a host, as libcurl reads it, so that no second parser reads it otherwise.
package struct WebURL: Sendable, Hashable, CustomStringConvertible {
    /// In lower case: `https`.
    package var scheme: String
    /// As written: `user:password`; nil without one.
    package var userInfo: String?
    /// A name or an address without brackets; one of IPv6 may name its device: `fe80::1%eth0`.
    package var host: String
    /// The one that is written, else the scheme's.
    package var port: UInt16
    /// As written; begins with a slash.
    package var path: String
    /// Without the question mark; nil without one.
    package var query: String?

    /// The root of a server.
    package init(scheme: String, host: String, port: UInt16) {
        (self.scheme, self.host, self.port, path) = (scheme, host, port, "/")
    }

    /// Reads a URL; nil for another scheme and for everything that is no URL with a host.
    ///
    /// A fragment is dropped, since no server receives it.
    ///
    /// - Parameters:
    ///   - text: without spaces and control characters.
    ///   - schemes: those that are allowed.
    package init?(_ text: String, schemes: Set<String> = ["http", "https"]) {
        // libcurl would read `http:///host/`, as browsers do.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            let start = text.firstRange(of: "://"), !text[start.upperBound...].hasPrefix("/"),
            schemes.contains(text[..<start.lowerBound].lowercased()),
            let url = CurlURL(text, flags: CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME),
            let scheme = url.part(CURLUPART_SCHEME)?.lowercased(), let host = url.host, !host.isEmpty,
            let port = url.part(CURLUPART_PORT).map({ UInt16($0) }) ?? Self.defaultPorts[scheme]
        else { return nil }
        self.scheme = scheme
        let password = url.part(CURLUPART_PASSWORD)
        userInfo = url.part(CURLUPART_USER).map { user in password.map { "\(user):\($0)" } ?? user }
        self.host = url.part(CURLUPART_ZONEID).map { "\(host)%\($0)" } ?? host
        self.port = port
        path = url.part(CURLUPART_PATH) ?? "/"
        query = url.part(CURLUPART_QUERY)
    }

    /// Those of HTTP and WebSockets.
    package static let webSchemes: Set<String> = ["http", "https", "ws", "wss"]

    private static let defaultPorts: [String: UInt16] = [
        "http": 80, "ws": 80, "https": 443, "wss": 443, "socks5": 1080,
    ]

    /// Whether the scheme is `https` or `wss`.
    package var isTLS: Bool { scheme == "https" || scheme == "wss" }

    /// The host, with the port where it is not the scheme's: what the header `Host` contains.
    package var authority: String {
        // The percent sign of a device is escaped like any other (RFC 6874).
        let host = host.replacing("%", with: "%25", maxReplacements: host.contains(":") ? 1 : 0)
        guard port != Self.defaultPorts[scheme] else { return host.contains(":") ? "[\(host)]" : host }
        return HostPort(host: host, port: port).description
    }

    /// Host and port, the scheme's where none is written.
    package var hostPort: HostPort { HostPort(host: host, port: port) }

    /// Scheme and authority, as a browser sends them in the header `Origin`.
    package var origin: String { "\(scheme)://\(authority)" }

    /// Path and query, as a request line has them.
    package var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// The URL, without a port that is the scheme's.
    package var description: String { "\(scheme)://\(userInfo.map { "\($0)@" } ?? "")\(authority)\(target)" }

    /// A URL's text with its user info masked, for messages; a text with an `@` that is no URL is masked as a whole.
    package static func masked(_ text: String) -> String {
        guard let url = WebURL(text, schemes: Set(defaultPorts.keys)) else {
            return text.contains("@") ? "<secret>" : text
        }
        guard let userInfo = url.userInfo else { return text }
        return text.replacing("\(userInfo)@", with: "<secret>@", maxReplacements: 1)
    }
}

/// Reads a URL as configuration, redirects and portals bring them, for the fuzzer.
///
/// An accepted URL has no line end, and its parts read the same again: a difference traps.
///
/// - Returns: whether it was accepted.
package func fuzzURL(_ bytes: [UInt8]) -> Bool {
    guard let url = WebURL(String(decoding: bytes, as: UTF8.self)) else { return false }
    precondition(bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f })
    precondition(WebURL(url.description) == url)
    return true
}
