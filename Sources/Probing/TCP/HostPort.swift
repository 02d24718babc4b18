/// A host and a port, as in `example.net:443`, `192.0.2.1:443` and `[fe80::1%eth0]:443`.
struct HostPort: Sendable, Hashable {
    /// Without brackets.
    let host: String
    let port: UInt16

    /// - Returns: nil without a host, without a port from 1 on, or for an IPv6 address without brackets.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.contains(":") == isBracketed else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// The root of an https server there.
    var httpsURL: String {
        guard host.contains(":") else { return "https://\(host):\(port)/" }
        // The percent sign of a zone is escaped like any other (RFC 6874).
        let zoned = host.split(separator: "%", maxSplits: 1).joined(separator: "%25")
        return "https://[\(zoned)]:\(port)/"
    }
}
