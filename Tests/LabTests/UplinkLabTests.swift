import CLab
import Glibc
import Lab
import NetworkPath
import Posix
import Probing
import Statistics
import Testing

/// A host with two routers, each with a provider of its own, in namespaces; both lead to the same server.
///
/// ```
/// host .11.2 — .11.1 router .12.2 — .12.1 ┐
///                                          server 198.18.99.1
/// host .21.2 — .21.1 router .22.2 — .22.1 ┘
/// ```
private final class TwoProviders: Sendable {
    let host: Namespace
    let routers: [Namespace]
    let server: Namespace
    let path: PathMonitor
    /// Of the server: the kernel completes handshakes with it.
    private let listener: Descriptor
    private let readiness: Readiness
    static let address = SocketAddress("198.18.99.1:443")

    init() throws {
        (host, server) = (
            try Namespace("link set lo up"), try Namespace("link set lo up\naddress add 198.18.99.1/32 dev lo")
        )
        routers = [try Namespace(), try Namespace()]
        for (number, router) in routers.enumerated() {
            let net = "198.18.\(number + 1)"
            try host.ip("link add eth\(number) type veth peer name near netns \(router.name)")
            try router.ip("link add far type veth peer name far\(number) netns \(server.name)")
            let ends = [
                (host, "eth\(number)", "\(net)1.2"), (router, "near", "\(net)1.1"), (router, "far", "\(net)2.2"),
                (server, "far\(number)", "\(net)2.1"),
            ]
            for (side, device, address) in ends {
                try side.ip(
                    "link set \(device) addrgenmode none\naddress add \(address)/24 dev \(device)\nlink set \(device) up"
                )
            }
            try router.write("1", to: "/proc/sys/net/ipv4/ip_forward")
            try router.ip("route add default via \(net)2.1")
            try server.ip("route add \(net)1.0/24 via \(net)2.2")
        }
        try host.write("0 2147483647", to: "/proc/sys/net/ipv4/ping_group_range")
        // Without the main table's route, answers of the server arrive elsewhere: loose filtering lets them in.
        try host.write("0", to: "/proc/sys/net/ipv4/conf/all/rp_filter")
        for device in ["eth0", "eth1"] { try host.write("0", to: "/proc/sys/net/ipv4/conf/\(device)/rp_filter") }
        let socket = try server.openSocket(AF_INET, SocketType.stream | SocketType.flags, 0)
        let number = socket.number
        guard Self.address?.withPointer({ bind(number, $0, $1) }) == 0, listen(number, 64) == 0 else {
            throw SystemError(call: "listen", code: errno)
        }
        listener = socket
        readiness = try Readiness(name: "uplink-lab")
        var configuration = PathConfiguration()
        configuration.watchesNetworkManager = false
        configuration.policy.viewpoint = .host
        configuration.policy.probed = [Self.address?.ip].compactMap(\.self).reduce(into: [:]) { $0[$1.family] = $1 }
        let file = "/run/netns/\(host.name)"
        path = PathMonitor(
            configuration: configuration,
            onUpdate: { _ in },
            prepareThread: {
                if nhe_enter_network_namespace(file) != 0 { Issue.record("cannot enter \(file)") }
            }
        )
        try path.start()
    }

    deinit {
        path.cancel()
        readiness.stop()
    }

    /// What the kernel says now, by device.
    func ways() async throws -> [String: WayOut] {
        let found = try #require(await path.survey())
        return Dictionary(found.map { ($0.interface.name, $0) }) { first, _ in first }
    }

    /// What the exporter would say of a device: nil where it cannot be tested.
    func isOnline(_ device: String) async throws -> Bool? {
        guard let way = try await ways()[device] else { return nil }
        guard way.isUsable else { return false }
        guard case .bound(let sources) = way.access else { return nil }
        let probe = UplinkProbe(readiness: readiness, openSocket: host.openSocket, timeout: .seconds(1))
        let addresses = [Self.address].compactMap(\.self)
        let round = await probe.round(through: UplinkBinding(device: device, sources: sources), to: addresses)
        #expect(round.traffic.received + round.traffic.transmitted <= 1000, "a round costs at most 1 kB")
        return round.verdict == .answered ? true : round.verdict == .silent ? false : nil
    }

    /// Waits until the kernel's answer is as wanted: a carrier is lost up to a second later.
    func wait(_ device: String, until isWanted: (WayOut) -> Bool) async throws {
        try await eventually("a change of \(device)") {
            try await ways()[device].map(isWanted) == true
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct UplinkLabTests {
    /// The ways to set up two uplinks, and what can be known about the second.
    enum Setup: String, CaseIterable, Sendable {
        case metric, sourceRule, deviceRule, markRule, multipath, halves

        var commands: String {
            let first = "route add default via 198.18.11.1 metric 100"
            let table = "\(first)\nroute add default via 198.18.21.1 dev eth1 table 102"
            return switch self {
            case .metric: "\(first)\nroute add default via 198.18.21.1 metric 200"
            case .sourceRule: "\(table)\nrule add from 198.18.21.2 lookup 102"
            case .deviceRule: "\(table)\nrule add oif eth1 lookup 102"
            case .markRule: "\(table)\nrule add fwmark 102 lookup 102"
            case .multipath:
                "route add default nexthop via 198.18.11.1 dev eth0 nexthop via 198.18.21.1 dev eth1"
            case .halves:
                "\(first)\nroute add 0.0.0.0/1 via 198.18.21.1 metric 200\nroute add 128.0.0.0/1 via 198.18.21.1 metric 200"
            }
        }
    }

    @Test(arguments: Setup.allCases)
    func `the verdict about each uplink is the truth, whatever breaks`(setup: Setup) async throws {
        let lab = try TwoProviders()
        // One line would not be a batch.
        try lab.host.ip("\(setup.commands)\n")
        try await lab.wait("eth1") { $0.isUsable && !$0.routers.isEmpty }
        let isTestable = setup != .markRule
        if case .blocked(let obstacle) = try #require(try await lab.ways()["eth1"]).access {
            #expect(!isTestable && obstacle == .noRoute)
        }
        #expect(try await lab.isOnline("eth0") == true)
        #expect(try await lab.isOnline("eth1") == (isTestable ? true : nil))
        // Behind the second router.
        try lab.server.ip("link set far1 down")
        #expect(try await lab.isOnline("eth1") == (isTestable ? false : nil))
        #expect(try await lab.isOnline("eth0") == true)
        try lab.server.ip("link set far1 up\nroute add 198.18.21.0/24 via 198.18.22.2")
        try lab.routers[1].ip("route replace default via 198.18.22.1\n")
        #expect(try await lab.isOnline("eth1") == (isTestable ? true : nil))
        // The second cable.
        try lab.routers[1].ip("link set near down")
        try await lab.wait("eth1") { !$0.isUsable }
        #expect(try await lab.isOnline("eth1") == false)
        #expect(try await lab.isOnline("eth0") == true)
    }

    @Test func `strict reverse path filtering is named, and not taken for an outage`() async throws {
        let lab = try TwoProviders()
        try lab.host.ip("\(Setup.metric.commands)\n")
        try await lab.wait("eth1") { $0.isUsable && !$0.routers.isEmpty }
        #expect(try await lab.isOnline("eth1") == true)
        // No event reports this.
        try lab.host.write("1", to: "/proc/sys/net/ipv4/conf/eth1/rp_filter")
        #expect(try await lab.ways()["eth1"]?.access == .blocked(.reversePathFilter))
        // With a rule by source address the kernel lets answers in.
        try lab.host.ip("route add default via 198.18.21.1 dev eth1 table 102\nrule add from 198.18.21.2 lookup 102")
        #expect(try await lab.isOnline("eth1") == true)
    }

    @Test func `a second router on one device is a way of its own`() async throws {
        let lab = try TwoProviders()
        try lab.host.ip("route add default via 198.18.11.1 metric 100\nroute add default via 198.18.11.9 metric 200")
        try await lab.wait("eth0") { $0.isUsable && !$0.routers.isEmpty }
        let ways = try #require(await lab.path.survey())
        #expect(ways.map { $0.router?.description } == ["198.18.11.1", "198.18.11.9"])
        #expect(ways.map(\.access) == [.bound([.ipv4: nil]), .blocked(.secondRouter)])
    }

    @Test(arguments: [false, true])
    func `IPv6 is asked for like IPv4, with a rule by source address, too`(hasRule: Bool) async throws {
        let lab = try TwoProviders()
        for (number, router) in lab.routers.enumerated() {
            try lab.host.ip("address add 2001:db8:\(number + 1)::2/64 dev eth\(number) nodad")
            try router.ip("address add 2001:db8:\(number + 1)::1/64 dev near nodad")
        }
        let second = "route add default via 2001:db8:2::1 dev eth1"
        try lab.host.ip(
            "route add default via 2001:db8:1::1 metric 100\n"
                + (hasRule ? "\(second) table 102" : "\(second) metric 200")
        )
        if hasRule { try lab.host.ip("-6 rule add from 2001:db8:2::2 lookup 102") }
        // The kernel announces an address without DAD in a work of its own (addrconf_dad_work in net/ipv6/addrconf.c), maybe after the
        // routes.
        try await lab.wait("eth1") { $0.isUsable && $0.routers[.ipv6] != nil && $0.access != .blocked(.noRoute) }
        let source = hasRule ? IPAddress("2001:db8:2::2") : nil
        #expect(try await lab.ways()["eth0"]?.access == .bound([.ipv6: nil]))
        #expect(try await lab.ways()["eth1"]?.access == .bound([.ipv6: source]))
        #expect(try await lab.ways()["eth1"]?.router?.description == "2001:db8:2::1")
    }
}
