import Lab
import Netlink
import Posix
import Testing

/// Lookups in the real kernel, all as nobody.
@Suite(.timeLimit(.minutes(3)))
struct LookupTests {
    /// Two cables: eth0 has index 10, eth1 20.
    private static let cables = """
        link set lo up
        link add eth0 index 10 type veth peer name far0
        link add eth1 index 20 type veth peer name far1
        link set eth0 addrgenmode none
        link set eth1 addrgenmode none
        link set eth0 up
        link set eth1 up
        link set far0 up
        link set far1 up
        address add 198.18.0.1/24 dev eth0
        address add 198.18.1.1/24 dev eth1
        address add 2001:db8::1/64 dev eth0 nodad

        """

    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test(arguments: [
        ("198.18.9.1", "198.18.0.254", "198.18.0.1"), ("2001:db8:9::1", "2001:db8::fe", "2001:db8::1"),
    ])
    func `finds the way of a default route`(destination: String, gateway: String, source: String) throws {
        let namespace = try Namespace(
            Self.cables + """
                route add default via 198.18.0.254 metric 100
                route add ::/0 via 2001:db8::fe metric 100
                """
        )
        let (lookup, entry) = try namespace.inside(asNobody: true) {
            var socket = try RequestSocket()
            let address = try Self.address(destination)
            let entry = try socket.lookupEntry(address, mark: 1, interfaceIndex: 10, uid: 65534)
            return (try socket.lookup(address), entry)
        }
        guard case .route(let route) = lookup, case .route(let match) = entry else {
            Issue.record("\(lookup), \(entry)")
            return
        }
        #expect(route.hops.first?.interfaceIndex == 10 && route.table == 254 && route.kind == 1)
        #expect(route.hops.first?.gateway?.description == gateway)
        #expect(route.preferredSource?.description == source)
        #expect(match.metric == 100 && match.destinationLength == 0 && match.hops.first?.interfaceIndex == 10)
    }

    @Test(
        arguments: [
            ("blackhole", RouteLookup.blackhole), ("unreachable", .hostUnreachable), ("prohibit", .prohibited),
            ("throw", .unreachable),
        ],
        ["198.18.0.0/16 198.18.9.1", "2001:db8:9::/48 2001:db8:9::1"]
    )
    func `reports why there is no route`(kind: (String, RouteLookup), target: String) throws {
        let parts = target.split(separator: " ").map(String.init)
        let namespace = try Namespace(Self.cables + "route add \(kind.0) \(parts[0])")
        let (lookup, entry) = try namespace.inside(asNobody: true) {
            var socket = try RequestSocket()
            let address = try Self.address(parts[1])
            return (try socket.lookup(address), try socket.lookupEntry(address))
        }
        #expect(lookup == kind.1)
        #expect(entry == kind.1)
    }

    @Test(arguments: ["198.18.9.1", "2001:db8:9::1"])
    func `finds no way without a route`(destination: String) throws {
        let lookup = try Namespace().inside(asNobody: true) {
            var socket = try RequestSocket()
            return try socket.lookup(try Self.address(destination))
        }
        #expect(lookup == .unreachable)
    }

    @Test func `throws what is no verdict`() throws {
        let namespace = try Namespace(Self.cables)
        #expect(throws: NetlinkError.self) {
            try namespace.inside(asNobody: true) {
                var socket = try RequestSocket()
                return try socket.lookup(try Self.address("198.18.0.9"), interfaceIndex: 4711)
            }
        }
    }

    @Test func `follows the rules of wg-quick`() throws {
        let namespace = try Namespace(
            Self.cables + """
                tuntap add wg0 mode tun
                link set wg0 up
                route add default via 198.18.0.254 dev eth0
                route add default dev wg0 table 51820
                rule add not fwmark 51820 table 51820
                rule add table main suppress_prefixlength 0
                """
        )
        let (plain, marked, local, tunnel) = try namespace.inside(asNobody: true) {
            var socket = try RequestSocket()
            let address = try Self.address("198.19.0.1")
            return (
                try socket.lookup(address), try socket.lookup(address, mark: 51820),
                try socket.lookup(try Self.address("198.18.1.7")),
                try socket.links().elements.first { $0.name == "wg0" }?.index
            )
        }
        #expect(Self.device(plain) == tunnel)
        #expect(Self.table(plain) == 51820)
        #expect(Self.device(marked) == 10)
        #expect(Self.device(local) == 20)
    }

    @Test func `follows the halves that OpenVPN lays over the default route`() throws {
        let namespace = try Namespace(
            Self.cables + """
                route add default via 198.18.0.254 dev eth0
                route add 0.0.0.0/1 via 198.18.1.254 dev eth1
                route add 128.0.0.0/1 via 198.18.1.254 dev eth1
                """
        )
        let (lookup, entry, defaults) = try namespace.inside(asNobody: true) {
            var socket = try RequestSocket()
            let address = try Self.address("198.19.0.1")
            return (
                try socket.lookup(address), try socket.lookupEntry(address),
                try socket.defaultRoutes(family: .ipv4).elements
            )
        }
        #expect(Self.device(lookup) == 20)
        guard case .route(let match) = entry else {
            Issue.record("\(entry)")
            return
        }
        #expect(match.destinationLength == 1)
        // 0.0.0.0/1 is no default route, though its address is the same.
        #expect(defaults.filter(\.isDefault).flatMap(\.hops).map(\.interfaceIndex) == [10])
        let halves = defaults.filter(\.isHalf)
        #expect(halves.flatMap(\.hops).map(\.interfaceIndex) == [20, 20])
        #expect(halves.map(\.isUpperHalf) == [false, true] && defaults.count == 3)
    }

    @Test func `finds the next hops of a multipath route, dead ones too`() throws {
        let namespace = try Namespace(
            Self.cables + """
                route add default nexthop via 198.18.0.254 dev eth0 nexthop via 198.18.1.254 dev eth1
                """
        )
        let (before, lookup, after) = try namespace.inside(asNobody: true) {
            var events = try EventSocket()
            var socket = try RequestSocket()
            let address = try Self.address("198.19.0.1")
            let before = try socket.lookupEntry(address)
            let lookup = try socket.lookup(address)
            try namespace.ip("link set far1 down")
            // IFF_RUNNING of eth1 goes when the kernel has noticed.
            try events.wait { event in
                if case .link(let link) = event { link.index == 20 && link.flags & 0x40 == 0 } else { false }
            }
            return (before, lookup, try socket.lookupEntry(address))
        }
        let gateways = try [Self.address("198.18.0.254"), Self.address("198.18.1.254")]
        guard case .route(let entry) = before, case .route(let degraded) = after else {
            Issue.record("\(before), \(after)")
            return
        }
        #expect(entry.hops.map(\.interfaceIndex) == [10, 20])
        #expect(entry.hops.map(\.gateway) == gateways)
        #expect(entry.hops.map(\.flags) == [0, 0])
        #expect(degraded.hops.map(\.flags) == [0, 0x10])
        let chosen = Self.device(lookup)
        #expect(chosen == 10 || chosen == 20)
    }

    private static func device(_ lookup: RouteLookup) -> Int32? {
        if case .route(let route) = lookup { route.hops.first?.interfaceIndex } else { nil }
    }

    private static func table(_ lookup: RouteLookup) -> UInt32? {
        if case .route(let route) = lookup { route.table } else { nil }
    }
}
