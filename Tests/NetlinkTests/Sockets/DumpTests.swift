import CLinux
import Foundation
import Lab
import Netlink
import Posix
import Testing

/// Against the real kernel, compared with what ip(8) says.
///
/// Every test runs as root and as nobody.
@Suite(.timeLimit(.minutes(3)))
struct DumpTests {
    private static let setup = """
        link set lo up
        link add veth0 type veth peer name veth1
        link add br0 type bridge
        link add vx0 type vxlan id 7 remote 198.18.0.2 dstport 4789 dev veth0
        tuntap add tun0 mode tun
        link set veth1 master br0
        link set veth0 addrgenmode none
        link set veth1 addrgenmode none
        link set br0 addrgenmode none
        link set veth0 up
        link set veth1 up
        link set br0 up
        address add 198.18.0.1/24 dev veth0
        address add 198.18.1.1 peer 198.18.1.2/32 dev veth0
        address add 2001:db8::1/64 dev veth0 nodad
        route add default via 198.18.0.254 dev veth0 metric 100 proto dhcp src 198.18.0.1
        route add 0.0.0.0/0 via inet6 2001:db8::fe dev veth0 metric 200
        route add default metric 300 nexthop via 198.18.0.252 weight 2 nexthop via 198.18.0.251
        route add default dev veth0 table 51820
        route add blackhole default metric 500
        route add 198.18.7.0/24 via 198.18.0.254
        route add ::/0 via 2001:db8::fe dev veth0 metric 1024 proto ra
        route add ::/0 metric 2048 nexthop via 2001:db8::fd nexthop via 2001:db8::fc
        route add unreachable ::/0 metric 4096
        """

    private struct JSONLink: Decodable {
        struct Information: Decodable {
            enum CodingKeys: String, CodingKey { case kind = "info_kind" }
            var kind: String?
        }
        var ifindex: Int32
        var ifname: String
        var operstate: String
        var flags: [String]
        var link: String?
        var master: String?
        var linkinfo: Information?
    }

    private static func listed(_ namespace: Namespace) throws -> [String] {
        try namespace.json([JSONLink].self, "link").map { link in
            "\(link.ifindex) \(link.ifname) \(link.operstate) \(link.linkinfo?.kind ?? "") "
                + "\(link.link ?? "") \(link.master ?? "") \(link.flags.contains("UP"))"
        }
        .sorted()
    }

    @Test(arguments: [false, true])
    func `lists the links that ip lists`(asNobody: Bool) throws {
        let namespace = try Namespace(Self.setup)
        var expected: [String] = []
        var links = Dump<Link>()
        // The bridge takes a moment to come up: compare only what did not change meanwhile.
        for _ in 0..<100 {
            expected = try Self.listed(namespace)
            links = try namespace.inside(asNobody: asNobody) {
                var socket = try RequestSocket()
                return try socket.links()
            }
            if try Self.listed(namespace) == expected { break }
        }
        let names = Dictionary(uniqueKeysWithValues: links.elements.map { ($0.index, $0.name) })
        let states = [0: "UNKNOWN", 2: "DOWN", 3: "LOWERLAYERDOWN", 5: "DORMANT", 6: "UP"]
        let ours = links.elements.map { link in
            let parent = link.parentIndex.flatMap { names[$0] }
            let master = link.masterIndex.flatMap { names[$0] }
            return "\(link.index) \(link.name) \(states[Int(link.operationalState)] ?? "?") \(link.kind ?? "") "
                + "\(parent ?? "") \(master ?? "") \(link.flags & 1 == 1)"
        }
        #expect(ours.sorted() == expected)
        #expect(ours.count == 6)
    }

    private struct JSONAddresses: Decodable {
        struct Entry: Decodable {
            var local: String
            var prefixlen: Int
            var scope: String
        }
        enum CodingKeys: String, CodingKey {
            case index = "ifindex"
            case entries = "addr_info"
        }
        var index: Int32
        var entries: [Entry]
    }

    @Test(arguments: [false, true])
    func `lists the addresses that ip lists`(asNobody: Bool) throws {
        let namespace = try Namespace(Self.setup)
        let addresses = try namespace.inside(asNobody: asNobody) {
            var socket = try RequestSocket()
            return try socket.addresses()
        }
        let scopes = [0: "global", 253: "link", 254: "host"]
        let ours = addresses.elements.map { address in
            "\(address.interfaceIndex) \(address.address)/\(address.prefixLength) \(scopes[Int(address.scope)] ?? "?")"
        }
        let theirs = try namespace.json([JSONAddresses].self, "address").flatMap { link in
            link.entries.map { "\(link.index) \($0.local)/\($0.prefixlen) \($0.scope)" }
        }
        #expect(ours.sorted() == theirs.sorted())
        #expect(ours.count == 5)
    }

    private struct JSONRoute: Decodable {
        struct Hop: Decodable {
            var gateway: String?
            var dev: String
        }
        struct Via: Decodable { var host: String }
        var dst: String
        var type: String
        var gateway: String?
        var via: Via?
        var dev: String?
        var metric: UInt32?
        var prefsrc: String?
        var table: String?
        var nexthops: [Hop]?
    }

    @Test(arguments: AddressFamily.allCases, [false, true])
    func `lists the default routes that ip lists`(family: AddressFamily, asNobody: Bool) throws {
        let namespace = try Namespace(Self.setup)
        let (routes, names) = try namespace.inside(asNobody: asNobody) {
            var socket = try RequestSocket()
            let links = try socket.links().elements
            let routes = try socket.defaultRoutes(family: family).elements
            return (routes, Dictionary(uniqueKeysWithValues: links.map { ($0.index, $0.name) }))
        }
        let kinds = [1: "unicast", 6: "blackhole", 7: "unreachable", 8: "prohibit"]
        let ours = routes.map { route in
            let hops = route.hops.map { "\(names[$0.interfaceIndex] ?? "?")>\($0.gateway?.description ?? "")" }
            let table = route.table == 254 ? "main" : "\(route.table)"
            return
                "\(kinds[Int(route.kind)] ?? "?") \(table) \(route.metric) \(route.preferredSource?.description ?? "") \(hops)"
        }
        let option = family == .ipv4 ? "-4" : "-6"
        let theirs = try namespace.json([JSONRoute].self, option, "route", "show", "table", "all")
            .filter { $0.dst == "default" }.map { route in
                let plain = route.dev.map { ["\($0)>\(route.gateway ?? route.via?.host ?? "")"] }
                let hops = route.nexthops?.map { "\($0.dev)>\($0.gateway ?? "")" } ?? plain ?? []
                return "\(route.type) \(route.table ?? "") \(route.metric ?? 0) \(route.prefsrc ?? "") \(hops)"
            }
        #expect(ours.sorted() == theirs.sorted())
        #expect(ours.count == (family == .ipv4 ? 5 : 3))
    }

    @Test(arguments: [false, true])
    func `reads the statistics of one link`(asNobody: Bool) throws {
        let namespace = try Namespace(Self.setup)
        let (link, missing) = try namespace.inside(asNobody: asNobody) {
            var socket = try RequestSocket()
            return (try socket.linkStatistics(index: 1), try socket.linkStatistics(index: 4711))
        }
        #expect(link?.name == "lo" && link?.receivedBytes == 0 && link?.transmittedBytes == 0)
        #expect(missing == nil)
    }

    @Test func `streams by a table of many routes`() throws {
        let many = (0..<5000).map { "route add 198.19.\($0 / 256).\($0 % 256)/32 via 198.18.0.254" }
        let namespace = try Namespace(Self.setup + "\n" + many.joined(separator: "\n"))
        let routes = try namespace.inside {
            var socket = try RequestSocket()
            return try socket.defaultRoutes(family: .ipv4)
        }
        #expect(routes.elements.count == 5)
    }

    @Test func `sends a new request after abandoning a dump`() throws {
        let links = (0..<60).map { "link add a\($0) type veth peer name b\($0)" }
        let namespace = try Namespace(links.joined(separator: "\n"))
        let count = try namespace.inside(asNobody: true) {
            var socket = try RequestSocket()
            var request = Request(type: RTM_GETLINK, flags: NLM_F_ROOT | NLM_F_MATCH)
            for _ in 0..<4 { request.append(UInt32(0)) }
            #expect(throws: NetlinkError.unexpected(type: 1)) {
                try socket.perform(request) { (_, _) throws(NetlinkError) in throw .unexpected(type: 1) }
            }
            // The kernel says EBUSY while the dump before is unfinished.
            return try socket.links().elements.count
        }
        #expect(count == 121)
    }

    @Test func `runs as an unprivileged user where a test requires it`() throws {
        let status = try Namespace().inside(asNobody: true) {
            try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        }
        #expect(status.contains("Uid:\t65534\t65534\t65534\t65534"))
        #expect(status.contains("CapEff:\t0000000000000000"))
    }
}
