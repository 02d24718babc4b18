import Posix

/// A host or an address, with or without a port: `example.com:53`, `192.0.2.1`, `[2001:db8::1]:853`, `2001:db8::1`.
struct HostPort: Sendable, Equatable {
    /// Without brackets.
    let host: String
    let port: UInt16?

    init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let end = text.lastIndex(of: "]") else { return nil }
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard IPAddress(host)?.family == .ipv6, rest.isEmpty || rest.first == ":" else { return nil }
            self.init(host: host, port: rest.isEmpty ? nil : rest.dropFirst())
        } else if IPAddress(text) != nil {
            self.init(host: text, port: nil)
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let host = String(parts[0])
            guard IPAddress(host) != nil || Self.isName(host) else { return nil }
            self.init(host: host, port: parts.count == 2 ? parts[1] : nil)
        }
    }

    private init?(host: String, port: Substring?) {
        self.host = host
        guard let port else {
            self.port = nil
            return
        }
        guard let number = UInt16(port), number > 0, String(number) == port else { return nil }
        self.port = number
    }

    /// `example.com:53`, `[2001:db8::1]:853`; without a port the host alone.
    var text: String {
        guard let port else { return host }
        return address?.family == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// nil: a name.
    var address: IPAddress? { IPAddress(host) }

    /// Whether a text can be a name of the DNS or of /etc/hosts: labels of up to 63 letters, digits, `-` and `_`.
    ///
    /// One whose last label is a number is a mistyped address.
    static func isName(_ text: String) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = labels.last?.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        return name.utf8.count <= 253 && !isNumber
            && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isNameByte) }
    }
}
