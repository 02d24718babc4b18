import Posix

/// The parts of an absolute URL that a rule can be about (RFC 3986): the scheme, who is asked, and in whose name.
struct AbsoluteURL {
    /// In lower case.
    let scheme: String
    /// What stands before the `@`, a password perhaps; nil without one.
    let userInfo: Substring?
    let host: HostPort

    /// nil for what is no URL with a host, or has characters that no URL has.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"\"\\".utf8.contains($0) }),
            let separator = text.firstRange(of: "://")
        else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        let authority = text[separator.upperBound...].prefix { !"/?#".contains($0) }
        let at = authority.lastIndex(of: "@")
        userInfo = at.map { authority[..<$0] }
        let place = String(authority[(at.map { authority.index(after: $0) } ?? authority.startIndex)...])
        guard !scheme.isEmpty, let host = HostPort(place) else { return nil }
        // An IPv6 address stands in brackets.
        guard host.address?.family != .ipv6 || place.hasPrefix("[") else { return nil }
        self.host = host
    }

    /// The URL with its user info masked.
    static func masked(_ text: String) -> String {
        guard let userInfo = AbsoluteURL(text)?.userInfo else { return text }
        return text[..<userInfo.startIndex] + "<secret>" + text[userInfo.endIndex...]
    }
}
