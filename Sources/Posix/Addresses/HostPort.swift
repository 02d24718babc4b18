/// A host with or without a port: `example.com:53`, `192.0.2.1`, `[fe80::1%eth0]:443`, `2001:db8::1`.
package struct HostPort: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address without brackets; one of IPv6 may name its device (RFC 4007): `fe80::1%eth0`.
    package let host: String
    /// nil: none is given.
    package let port: UInt16?

    package init(host: String, port: UInt16? = nil) {
        self.host = host
        self.port = port
    }

    /// Reads a name, an IPv4 address or an IPv6 address; nil for anything else.
    ///
    /// An IPv6 address has brackets where a port follows. Without them it is read only where the text is no address itself, as
    /// what `$(HOST_IP):10319` of a Kubernetes manifest becomes: `2001:db8::1:10319`, but not `2001:db8::1:80`.
    ///
    /// - Parameters:
    ///   - text: without spaces.
    ///   - ports: those that are allowed.
    package init?(_ text: String, ports: ClosedRange<UInt16> = 1...UInt16.max) {
        var host = text[...]
        var rest: Substring = ""
        if text.hasPrefix("[") {
            guard let end = text.lastIndex(of: "]") else { return nil }
            host = text[..<end].dropFirst()
            rest = text[end...].dropFirst()
            guard HostPort(host: String(host)).address?.family == .ipv6 else { return nil }
        } else if HostPort(host: text).address == nil, let colon = text.lastIndex(of: ":"),
            HostPort(host: String(text[..<colon])).address?.family == .ipv6
        {
            host = text[..<colon]
            rest = text[colon...]
        } else if HostPort(host: text).address == nil {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            guard IPAddress(String(host)) != nil || Self.isName(String(host)) else { return nil }
        }
        self.host = String(host)
        guard let colon = rest.first else {
            port = nil
            return
        }
        guard colon == ":", let port = Self.port(rest.dropFirst(), in: ports) else { return nil }
        self.port = port
    }

    /// The literal address, without its device; nil: the host is a name.
    package var address: IPAddress? {
        let zone = zone
        guard let address = IPAddress.withoutZone(host) else { return nil }
        return zone == nil || address.family == .ipv6 && zone?.isEmpty == false ? address : nil
    }

    /// The device of a link-local address, by its name or its index: what follows the `%`.
    package var zone: Substring? { host.firstIndex(of: "%").map { host[$0...].dropFirst() } }

    /// What `init(_:ports:)` reads: `example.com:53`, `[2001:db8::1]:853`; without a port the host alone.
    package var description: String {
        guard let port else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// A URL with the brackets that its IPv6 address lacks, as in `http://$(HOST_IP):10319` of a Kubernetes manifest.
    ///
    /// Any other text is returned as it is, also one in which the last number may belong to the address.
    package static func bracketed(url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" }
        guard let place = HostPort(String(authority)), place.port != nil, place.host.contains(":") else { return url }
        return url[..<scheme.upperBound] + place.description + url[authority.endIndex...]
    }

    /// Reads a decimal number without leading zeros.
    package static func port(_ text: some StringProtocol, in range: ClosedRange<UInt16>) -> UInt16? {
        guard let port = UInt16(text), range.contains(port), "\(port)" == text else { return nil }
        return port
    }

    /// Whether a text can be a name of the DNS or of /etc/hosts: labels of up to 63 letters, digits, `-` and `_`.
    ///
    /// One whose last label is a number is a mistyped address.
    package static func isName(_ text: String) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = labels.last?.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        return name.utf8.count <= 253 && !isNumber
            && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(isNameByte) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
