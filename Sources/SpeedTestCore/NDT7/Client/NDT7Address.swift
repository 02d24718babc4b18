import HTTPTransfer

/// Where a WebSocket is opened, out of a ws, wss, http or https URL.
struct NDT7Address: Sendable, Equatable {
    let isTLS: Bool
    /// The host as written, with the port where there is one: what `Host` says.
    let authority: String
    /// Begins with a slash.
    let path: String
    /// Without the question mark.
    let query: String

    /// - Returns: nil for another scheme, for user information, and where there is no host.
    init?(_ url: String) {
        guard let separator = url.firstRange(of: "://"), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return nil
        }
        switch url[..<separator.lowerBound].lowercased() {
        case "http", "ws": isTLS = false
        case "https", "wss": isTLS = true
        default: return nil
        }
        let rest = url[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        self.authority = String(authority)
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != "?" }
        self.path = path.isEmpty ? "/" : String(path)
        query = String(target[path.endIndex...].dropFirst())
    }

    private init(isTLS: Bool, authority: String, path: String, query: String) {
        self.isTLS = isTLS
        self.authority = authority
        self.path = path
        self.query = query
    }

    /// Of which libcurl takes scheme, host and port.
    var url: String { "\(isTLS ? "https" : "http")://\(authority)\(target)" }

    /// Path and query, as a request line has them.
    var target: String { query.isEmpty ? path : "\(path)?\(query)" }

    /// The host alone, in lower case.
    var hostName: String {
        let isIPv6 = authority.hasPrefix("[")
        return authority.prefix { isIPv6 ? $0 != "]" : $0 != ":" }.lowercased() + (isIPv6 ? "]" : "")
    }

    /// The port, as written or by the scheme.
    var port: String {
        let rest = authority.dropFirst(hostName.count)
        return rest.hasPrefix(":") && rest.count > 1 ? String(rest.dropFirst()) : isTLS ? "443" : "80"
    }

    /// The path of one direction below this base.
    func test(_ direction: Direction) -> Self {
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        return Self(isTLS: isTLS, authority: authority, path: base + NDT7.path(direction), query: query)
    }

    func adding(query more: String) -> Self {
        Self(isTLS: isTLS, authority: authority, path: path, query: query.isEmpty ? more : "\(query)&\(more)")
    }

    /// The same host and port without TLS, for a connection that sends nothing.
    var withoutTLS: Self {
        let host = port == "443" && isTLS && !authority.hasSuffix(":443") ? "\(hostName):443" : authority
        return Self(isTLS: false, authority: host, path: "/", query: "")
    }

    /// Whether it is asked where to measure, instead of measured against: `/v2/nearest/ndt/ndt7`.
    var isLocator: Bool { path.contains("/v2/") }

    /// Whether it is M-Lab's, where every result is published.
    var isMLab: Bool {
        ["measurementlab.net", "measurement-lab.org", "mlab-ns.appspot.com"].contains {
            hostName == $0 || hostName.hasSuffix(".\($0)")
        }
    }
}
