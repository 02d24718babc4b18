/// The server of a dns target: a host and an optional port.
struct DNSServerName: Equatable {
    /// A name, or a literal address without brackets.
    var host: String
    var port = DNSServer.defaultPort

    /// Reads `host`, `host:53`, `192.0.2.1:53`, `[2001:db8::1]:53`, `[fe80::1%eth0]` and `2001:db8::1`.
    init?(_ text: String) {
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            host = String(text[text.index(after: text.startIndex)..<end])
            guard host.contains(":") else { return nil }
            let rest = text[text.index(after: end)...]
            guard !rest.isEmpty else { return }
            guard rest.hasPrefix(":"), let port = Self.port(rest.dropFirst()) else { return nil }
            self.port = port
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            host = String(text[..<colon])
            guard let port = Self.port(text[text.index(after: colon)...]) else { return nil }
            self.port = port
        } else {
            // Several colons: an IPv6 address, whose last group is not a port.
            host = text
        }
        guard !host.isEmpty, !host.contains(where: { "[] \t\n".contains($0) }) else { return nil }
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(digits)
        else { return nil }
        return port > 0 ? port : nil
    }
}
