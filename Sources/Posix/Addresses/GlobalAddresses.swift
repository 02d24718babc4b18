/// The addresses that count as the internet: traffic from one of them proves that it is reachable.
package struct GlobalAddresses: Sendable, Equatable {
    /// The ranges that do not count.
    package let excluded: [AddressRange]

    /// - Parameter excluded: the ranges that do not count; all else does.
    package init(excluding excluded: [AddressRange]) {
        self.excluded = excluded
    }

    /// The addresses that the IANA special-purpose registries (RFC 6890) call globally reachable, without multicast.
    ///
    /// Exceptions within a range are ignored: at worst, a proof is missed.
    package static let standard = GlobalAddresses(excluding: standardText.compactMap(AddressRange.init))

    static let standardText = [
        "0.0.0.0/8",  // this network (RFC 791)
        "10.0.0.0/8",  // private (RFC 1918)
        "100.64.0.0/10",  // shared by carriers (RFC 6598)
        "127.0.0.0/8",  // loopback (RFC 1122)
        "169.254.0.0/16",  // link-local (RFC 3927)
        "172.16.0.0/12",  // private (RFC 1918)
        "192.0.0.0/24",  // protocol assignments (RFC 6890)
        "192.0.2.0/24",  // documentation (RFC 5737)
        "192.168.0.0/16",  // private (RFC 1918)
        "198.18.0.0/15",  // benchmarking (RFC 2544)
        "198.51.100.0/24",  // documentation (RFC 5737)
        "203.0.113.0/24",  // documentation (RFC 5737)
        "224.0.0.0/4",  // multicast (RFC 5771)
        "240.0.0.0/4",  // reserved, and broadcast (RFC 1112, RFC 8190)
        // Global unicast is 2000::/3 alone (RFC 4291, 2.4 and the IANA registry). Outside lie loopback, ULA (fc00::/7),
        // link-local (fe80::/10), multicast (ff00::/8), discard (100::/64), SRv6 (5f00::/16), local translation
        // (64:ff9b:1::/48).
        "::/3",
        "4000::/2",
        "8000::/1",
        "2001::/23",  // protocol assignments (RFC 2928)
        "2001:db8::/32",  // documentation (RFC 3849)
        "2002::/16",  // 6to4, which leads to the IPv4 address in it (RFC 3056)
        "3fff::/20",  // documentation (RFC 9637)
    ]

    /// Whether the address is part of the internet; for one that embeds an IPv4 address, whether that is.
    package func contains(_ address: IPAddress) -> Bool {
        let address = address.withoutEmbedding
        return !excluded.contains { $0.contains(address) }
    }

    /// The same without the addresses that this host has now: what listens there may trust the host.
    package func containsElsewhere(_ address: IPAddress) -> Bool {
        contains(address) && !address.withoutEmbedding.isOfThisHost
    }
}
