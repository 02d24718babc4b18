import Posix

/// Whose a router is, by its address.
enum HopOwner: Equatable {
    case home
    /// Shared: an address behind carrier-grade NAT.
    case provider(isShared: Bool)
    /// Both are usual: a second router at home, or a provider that uses private addresses.
    case open

    private static let sharedRanges = ["100.64.0.0/10"].compactMap(AddressRange.init)  // RFC 6598
    /// Networks at home; a provider has too many customers for them.
    private static let homeRanges = ["192.168.0.0/16"].compactMap(AddressRange.init)  // RFC 1918
    private static let openRanges = [
        "10.0.0.0/8", "172.16.0.0/12",  // RFC 1918
        "169.254.0.0/16", "fe80::/10",  // link-local
        "fc00::/7",  // unique local (RFC 4193)
    ].compactMap(AddressRange.init)

    /// - Parameters:
    ///   - address: the router's.
    ///   - ownAddresses: this host's global ones: routers behind its own one that share a prefix with it are at home. A provider
    ///     delegates a /56, or up to a /48 (RFC 6177).
    init(_ address: IPAddress, ownAddresses: [IPAddress]) {
        func contains(_ ranges: [AddressRange]) -> Bool { ranges.contains { $0.contains(address) } }
        if contains(Self.sharedRanges) {
            self = .provider(isShared: true)
        } else if contains(Self.homeRanges) {
            self = .home
        } else if contains(Self.openRanges) {
            self = .open
        } else if address.family == .ipv4 {
            self = .provider(isShared: false)
        } else {
            let own = ownAddresses.filter { $0.family == .ipv6 }
            func shares(_ length: UInt8) -> Bool {
                own.contains { AddressRange(around: $0, prefixLength: length).contains(address) }
            }
            self = shares(56) ? .home : own.isEmpty || shares(48) ? .open : .provider(isShared: false)
        }
    }
}
