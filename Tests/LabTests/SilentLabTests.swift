import Lab
import NetworkHealth
import NetworkPath
import Testing

/// Ways of losing a route that the kernel does not announce as such.
@Suite(.timeLimit(.minutes(1)))
struct SilentLabTests {
    @Test func `an IPv4 source address deleted takes the path away`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        try host.namespace.ip("address del 198.18.0.2/24 dev eth0")
        let lost = try await host.state { $0.isOnline == false }
        #expect(lost.state.path.gateways.isEmpty)
        #expect(lost.state.path.availableInterfaces.isEmpty)
    }

    @Test func `a next hop object deleted takes the path away`() async throws {
        let host = try await MonitoredHost(
            """
            route del default
            nexthop add id 7 via 198.18.0.1 dev eth0
            route add default nhid 7
            """
        )
        try await host.state { $0.isOnline == true }
        let reported = host.statistics.rawEvents[.route]
        try host.namespace.ip("nexthop del id 7")
        let lost = try await host.state { $0.isOnline == false }
        #expect(host.statistics.rawEvents[.route] == reported, "the kernel sends no route message")
        #expect(lost.state.path.unsatisfiedReason == .noRoute)
        #expect(lost.state.path.gateways.isEmpty)
    }

    @Test func `a link deleted takes the path away, and it is the link's fault`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        try host.namespace.ip("link del eth0")
        let lost = try await host.state { $0.isOnline == false }
        #expect(lost.state.path.interface == nil)
        #expect(host.monitor.statistics?.outages.count(.link) == 1)
    }

    @Test func `a next hop of a multipath route lost leaves the path up without its gateway`() async throws {
        let host = try await MonitoredHost(
            """
            route del default
            link add eth1 type veth peer name far1
            link set eth1 addrgenmode none
            link set far1 addrgenmode none
            link set far1 up
            address add 198.18.1.2/24 dev eth1
            link set eth1 up
            route add default nexthop via 198.18.0.1 nexthop via 198.18.1.1
            """
        )
        let whole = try await host.state { $0.isOnline == true && $0.path.gateways.count == 2 }
        #expect(whole.state.path.isMultipath && !whole.state.path.isDegraded)
        let before = host.statistics.changes[.gateway, default: 0]
        let reported = host.statistics.rawEvents[.route]

        try host.namespace.ip("link set far1 down")
        let lame = try await host.state { $0.path.gateways == ["198.18.0.1"] }
        #expect(host.statistics.rawEvents[.route] == reported, "the kernel sends no route message")
        #expect(lame.state.isOnline == true && lame.state.path.isDegraded)
        #expect(host.statistics.changes[.gateway, default: 0] > before)
    }
}
