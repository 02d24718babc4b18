import Lab
import Posix
import Probing

/// A host, its router with NAT, the first hop of a provider and a server, each in a namespace, over both families.
///
/// ```
/// host .1.2 — .1.1 router .2.2 — .2.1 provider .3.1 — .3.2 server
/// ```
final class ProviderLine: Sendable {
    let host: Namespace
    let router: Namespace
    let provider: Namespace
    let server: Namespace

    static let destinations = HopConfiguration.destinations(
        among: ["198.18.3.2", "2001:db8:3::2"].compactMap { IPAddress($0) }
    )

    init() throws {
        (host, router, provider, server) = (try Namespace(), try Namespace(), try Namespace(), try Namespace())
        let members = [host, router, provider, server]
        for (number, (near, far)) in zip(members, members.dropFirst()).enumerated() {
            try near.ip("link add far type veth peer name near netns \(far.name)")
            // As in the picture.
            let ends = number == 2 ? (near: 1, far: 2) : (near: 2, far: 1)
            for (side, device, end) in [(near, "far", ends.near), (far, "near", ends.far)] {
                try side.ip("link set lo up\n" + Self.addresses(of: device, net: number + 1, end))
            }
        }
        for forwarding in [router, provider] {
            try forwarding.write("1", to: "/proc/sys/net/ipv4/ip_forward")
            try forwarding.write("1", to: "/proc/sys/net/ipv6/conf/all/forwarding")
        }
        try host.ip("route add default via 198.18.1.1\nroute add default via 2001:db8:1::1")
        try router.ip("route add default via 198.18.2.1\nroute add default via 2001:db8:2::1")
        try provider.ip("route add 2001:db8:1::/64 via 2001:db8:2::2")
        try server.ip("route add default via 198.18.3.1\nroute add default via 2001:db8:3::1")
        try filter(
            router,
            """
            table ip nat {
                chain out {
                    type nat hook postrouting priority 100;
                    oifname "far" masquerade
                }
            }
            """
        )
        try host.write("0 2147483647", to: "/proc/sys/net/ipv4/ping_group_range")
    }

    /// The commands that give one end of a cable its addresses.
    private static func addresses(of device: String, net: Int, _ end: Int) -> String {
        """
        link set \(device) addrgenmode none
        address add 198.18.\(net).\(end)/24 dev \(device)
        address add 2001:db8:\(net)::\(end)/64 dev \(device) nodad
        address add fe80::\(end)/64 dev \(device) nodad
        link set \(device) up
        """
    }

    /// Another line of the router to the same server: `router .4.2 — .4.1 provider .5.1 — .5.2 server`.
    ///
    /// - Returns: that provider, which must be kept.
    func addProvider() throws -> Namespace {
        let second = try Namespace()
        try router.ip("link add spare type veth peer name near netns \(second.name)")
        try second.ip("link add far type veth peer name spare netns \(server.name)")
        for (side, device, net, end) in [
            (router, "spare", 4, 2), (second, "near", 4, 1), (second, "far", 5, 1), (server, "spare", 5, 2),
        ] {
            try side.ip(Self.addresses(of: device, net: net, end))
        }
        try second.write("1", to: "/proc/sys/net/ipv4/ip_forward")
        try second.write("1", to: "/proc/sys/net/ipv6/conf/all/forwarding")
        try second.ip("route add 198.18.3.2 via 198.18.5.2\nroute add 2001:db8:3::2 via 2001:db8:5::2")
        try second.ip("route add 2001:db8:1::/64 via 2001:db8:4::2")
        try filter(
            router,
            """
            table ip spare {
                chain out {
                    type nat hook postrouting priority 100;
                    oifname "spare" masquerade
                }
            }
            """
        )
        return second
    }

    /// Adds rules of nft(8).
    func filter(_ namespace: Namespace, _ rules: String) throws {
        try run(["ip", "netns", "exec", namespace.name, "nft", "-f", "-"], input: rules + "\n")
    }

    /// The cable between the router and the modem is pulled out of the router.
    func pullCable() throws { try router.ip("link set far down") }

    /// The modem keeps the link up and answers nothing.
    func killModem() throws {
        try provider.ip("address flush dev near")
        try router.ip("neigh flush dev far")
    }

    /// The provider has no way on.
    func breakProvider() throws { try provider.ip("link set far down") }

    /// The router answers nothing.
    func killRouter() throws {
        try router.ip("address flush dev near")
        try host.ip("neigh flush dev far")
    }

    func forbid() throws {
        try filter(
            router,
            """
            table inet rules {
                chain forth {
                    type filter hook forward priority 0;
                    reject with icmpx type admin-prohibited
                }
            }
            """
        )
    }
}
