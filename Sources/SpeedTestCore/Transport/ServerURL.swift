/// The parts of a server's URL that a test needs.
struct ServerURL: Sendable, Equatable {
    let scheme: String
    /// Host and port as written; an IPv6 address in brackets.
    let authority: String
    /// Without a slash at its end; empty for the root.
    let path: String

    /// - Returns: nil for what is no absolute http or https URL.
    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        scheme = text[..<mark.lowerBound].lowercased()
        // What follows is of no use in a base.
        let rest = text[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let authority = rest.prefix { $0 != "/" }
        guard scheme == "http" || scheme == "https", !authority.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { return nil }
        self.authority = String(authority)
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    /// The base of other paths.
    var text: String { "\(scheme)://\(authority)\(path)" }

    /// Host and port, the scheme's where none is written, without credentials.
    var host: String {
        let host = authority.split(separator: "@").last.map(String.init) ?? authority
        let hasPort = host.last != "]" && host.split(separator: "]").last?.contains(":") == true
        return hasPort ? host : "\(host):\(scheme == "https" ? 443 : 80)"
    }
}
