import CLab
import Lab
import Netlink
import NetworkHealth
import NetworkPath
import Testing

/// Tunnels, policy rules and routes that refuse.
@Suite(.timeLimit(.minutes(1)))
struct RoutingLabTests {
    @Test func `a default route over a tun device without a process attached is no connection`() async throws {
        let host = try await MonitoredHost(
            """
            route del default
            tuntap add tun0 mode tun
            address add 198.18.9.2/24 dev tun0
            link set tun0 up
            route add default dev tun0
            """
        )
        let state = try await host.state { $0.path.interface?.name == "tun0" }.state
        #expect(state.isOnline == false)
        #expect(state.path.unsatisfiedReason == .vpnInactive)
    }

    @Test func `wg-quick's rules lead to the tunnel, over the cable`() async throws {
        let host = try await MonitoredHost(
            """
            tuntap add wg0 mode tun
            address add 198.18.9.2/32 dev wg0
            link set wg0 up
            """
        )
        let tunnel = try Tunnel("wg0", in: host.namespace)
        try host.namespace.ip(
            """
            route add default dev wg0 table 51820
            rule add not fwmark 51820 lookup 51820
            rule add lookup main suppress_prefixlength 0
            """
        )
        let state = try await host.state { $0.isOnline == true && $0.path.interface?.name == "wg0" }.state
        #expect(state.path.underlay?.name == "eth0")
        #expect(state.connectionType == .ethernet)

        // The kernel removes the routes of the cable; that of the tunnel, which is up, stays.
        try host.namespace.ip("link set eth0 down")
        let lost = try await host.state { $0.isOnline == false }.state
        #expect(lost.path.unsatisfiedReason == .linkDown)
        #expect(lost.path.interface?.name == "wg0")
        withExtendedLifetime(tunnel) {}
    }

    @Test func `OpenVPN's two halves lead to the tunnel, over the cable`() async throws {
        let host = try await MonitoredHost(
            """
            tuntap add tun0 mode tun
            address add 198.18.9.2/24 dev tun0
            link set tun0 up
            """
        )
        let tunnel = try Tunnel("tun0", in: host.namespace)
        try host.namespace.ip("route add 0.0.0.0/1 via 198.18.9.1\nroute add 128.0.0.0/1 via 198.18.9.1")
        let state = try await host.state { $0.isOnline == true && $0.path.interface?.name == "tun0" }.state
        #expect(state.path.underlay?.name == "eth0")

        // The process behind the tunnel ends: its device stays, and its routes with it.
        tunnel.detach()
        let lost = try await host.state { $0.isOnline == false }.state
        #expect(lost.path.unsatisfiedReason == .vpnInactive)
    }

    @Test func `a PPP line without a session of PPPoE is known to be none, and that is asked of no other device`()
        async throws
    {
        let host = try await MonitoredHost("tuntap add ppp0 mode tun")
        // A real line needs its daemon; its type is what shows it.
        let line = try Tunnel("ppp0", in: host.namespace, hardwareType: 512)
        try host.namespace.ip("link set ppp0 up")
        try await host.eventually("what is known of the line") {
            guard let state = await host.path.recordedState() else { return false }
            let facts = state.links.values.reduce(into: [String: DeviceFacts]()) {
                $0[$1.name] = state.deviceFacts[$1.index]
            }
            guard let ppp = facts["ppp0"], let cable = facts["eth0"] else { return false }
            return ppp.isPPPoE == false && cable.isPPPoE == nil
        }
        withExtendedLifetime(line) {}
    }

    @Test(arguments: ["blackhole", "prohibit", "unreachable"])
    func `a route that refuses is policy`(kind: String) async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        try host.namespace.ip("route del default\nroute add \(kind) default")
        let state = try await host.state { $0.isOnline == false }.state
        #expect(state.path.unsatisfiedReason == .policyDenied)
        #expect(state.status == .unsatisfied)
    }

    @Test func `an IPv6-only host is connected`() async throws {
        let host = try await MonitoredHost(
            """
            address flush dev eth0
            address add 2001:db8::2/64 dev eth0 nodad
            route add default via 2001:db8::1
            """
        )
        let state = try await host.state { $0.isOnline == true }.state
        #expect(state.path.supportsIPv6 && !state.path.supportsIPv4)
        #expect(state.path.ipv6Interface?.name == "eth0" && state.path.ipv4Interface == nil)
    }

    @Test func `another default route takes over at once`() async throws {
        let host = try await MonitoredHost(
            """
            link add eth1 type veth peer name far1
            link set far1 up
            address add 198.18.1.2/24 dev eth1
            link set eth1 up
            route add default via 198.18.1.1 metric 500
            """
        )
        let before = try await host.state { $0.isOnline == true }.state
        #expect(before.path.availableInterfaces.map(\.name) == ["eth0", "eth1"])
        try host.namespace.ip("route del default via 198.18.0.1")
        let after = try await host.state { $0.path.interface?.name == "eth1" }.state
        #expect(after.isOnline == true)
        #expect(host.monitor.statistics?.outages.count(.route) == 0)
    }
}
