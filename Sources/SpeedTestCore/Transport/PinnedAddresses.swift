import Posix

/// The addresses of a test's hosts: each host keeps the first one, so that a test measures one server.
struct PinnedAddresses: Sendable, Equatable {
    /// The server of the configuration, as a URL names it; nil: there is none.
    let server: String?
    private(set) var addresses: [String: IPAddress] = [:]

    init(server: String? = nil) { self.server = server }

    /// Keeps the first address of a host.
    mutating func pin(_ authority: String, to address: IPAddress) {
        if addresses[authority] == nil { addresses[authority] = address }
    }

    /// The addresses to which a request to this host may connect.
    ///
    /// A server's answer names further hosts: a server on a public address may name no host of this network, and one on
    /// another host none of this host.
    func permits(_ address: IPAddress, for authority: String) -> Bool {
        if let pinned = addresses[authority] { return address == pinned }
        guard let server, server != authority, let own = addresses[server] else { return true }
        return Self.mayRefer(own, to: address)
    }

    /// Whether a server at `address` may name another one at `other`.
    static func mayRefer(_ address: IPAddress, to other: IPAddress) -> Bool {
        let (address, other) = (address.withoutEmbedding, other.withoutEmbedding)
        // The kernel connects to this host for an unspecified address.
        guard other.isUnicast else { return false }
        if GlobalAddresses.standard.containsElsewhere(other) || address.isOfThisHost { return true }
        // A link-local address can be that of a cloud's metadata.
        return !other.isOfThisHost && (!other.isLinkLocal || address.isLinkLocal)
            && !GlobalAddresses.standard.contains(address)
    }
}
