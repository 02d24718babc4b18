package import Posix

/// The limits of the embedded server.
package struct ServerLimits: Sendable, Equatable {
    /// Clients outside of these are refused.
    package var allow: [AddressRule] = [.loopback, .privateUse, .linkLocal]
    /// The maximum number of client addresses with a transfer at the same time.
    package var maxClients = 8
    /// Of one transfer.
    package var maxDuration: Duration = .seconds(60)
    /// Bytes of one transfer.
    package var maxBytes: UInt64 = 1_000_000_000
    /// Bytes of all transfers in a day, both directions.
    package var maxBytesPerDay: UInt64 = 50_000_000_000
    /// TCP_CONGESTION of downloads; nil: the system default.
    package var congestionControl: String?
    /// Other sites (`https://example.com`) whose pages may use it in a visitor's browser.
    package var origins: [String] = []

    /// Transfers of one address at the same time: a client uses up to 16, and clients behind a NAT share an address.
    package static let transfersPerClient = 32

    package init() {}

    /// Whether a client may use the server; `peer` is its address from the web server, empty on a Unix socket.
    package func allows(peer: String) -> Bool {
        // A link-local address has a device: fe80::1%eth0.
        guard let address = IPAddress(String(peer.prefix { $0 != "%" })) else {
            return peer.isEmpty && allow.contains(.loopback)
        }
        let plain = address.mappedIPv4 ?? address
        return allow.contains { $0.allows(plain) }
    }
}

/// Which clients the embedded server accepts: a class of addresses, or a range.
package enum AddressRule: Sendable, Hashable, CustomStringConvertible {
    /// This host: 127.0.0.0/8 and ::1.
    case loopback
    /// Private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) and fc00::/7 (RFC 4193).
    case privateUse
    /// The same link: 169.254.0.0/16 and fe80::/10.
    case linkLocal
    /// All other addresses.
    case publicUse
    /// Such as `198.18.0.0/15`.
    case range(AddressRange)

    private static let words: [(String, AddressRule)] = [
        ("loopback", .loopback), ("private", .privateUse), ("link-local", .linkLocal), ("public", .publicUse),
    ]
    private static let loopbackRanges = ranges("127.0.0.0/8", "::1/128")
    private static let privateRanges = ranges("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")

    /// The expectation in error messages.
    package static let expectation = "loopback, private, link-local, public or a range such as 198.18.0.0/15"

    /// Reads one of the words, or a range.
    package init?(_ text: String) {
        if let word = Self.words.first(where: { $0.0 == text }) {
            self = word.1
        } else if let range = AddressRange(text) {
            self = .range(range)
        } else {
            return nil
        }
    }

    package var description: String {
        if case .range(let range) = self { return range.description }
        return Self.words.first { $0.1 == self }?.0 ?? ""
    }

    /// The class of an address.
    package init(classOf address: IPAddress) {
        if address.isLinkLocal {
            self = .linkLocal
        } else if Self.loopbackRanges.contains(where: { $0.contains(address) }) {
            self = .loopback
        } else {
            self = Self.privateRanges.contains { $0.contains(address) } ? .privateUse : .publicUse
        }
    }

    /// Whether the rule accepts this client.
    package func allows(_ address: IPAddress) -> Bool {
        if case .range(let range) = self { return range.contains(address) }
        return self == AddressRule(classOf: address)
    }

    private static func ranges(_ texts: String...) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
