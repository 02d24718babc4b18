import Posix

/// What the embedded server gives to whom.
package struct ServerLimits: Sendable, Equatable {
    /// A client that none of these takes is refused.
    package var allow: [AddressRule] = [.loopback, .privateUse, .linkLocal]
    /// Addresses that may transfer at the same time.
    package var maxClients = 8
    /// How long one transfer may take.
    package var maxDuration: Duration = .seconds(30)
    /// Bytes of one transfer.
    package var maxBytes: UInt64 = 1_000_000_000
    /// Bytes of all transfers in a day, both directions.
    package var maxBytesPerDay: UInt64 = 50_000_000_000
    /// TCP_CONGESTION of downloads; nil: the system's.
    package var congestionControl: String?
    /// Other sites (`https://example.com`) whose pages may use it in a visitor's browser.
    package var origins: [String] = []

    /// Transfers of one address at the same time: clients use up to 16, and several share an address behind a NAT.
    package static let transfersPerClient = 32

    package init() {}

    /// Whether a client may use the server; `peer` is its address as the web server tells it, empty on a Unix socket.
    package func allows(peer: String) -> Bool {
        // A link-local address comes with its device: fe80::1%eth0.
        guard let address = IPAddress(String(peer.prefix { $0 != "%" })) else {
            return peer.isEmpty && allow.contains(.loopback)
        }
        let plain = address.mappedIPv4 ?? address
        return allow.contains { $0.allows(plain) }
    }
}
