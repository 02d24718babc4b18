import Netlink
import Posix
import Testing

@testable import NetworkPath

/// What a path says beside its status.
struct PathEvaluatorTests {
    @Test func `WireGuard over metered Wi-Fi is a tunnel of type other, with Wi-Fi below, and expensive`() {
        let path = RawState.make(
            .make(2, "wlan0"),
            .tunnel(3),
            facts: [2: .wifi],
            routes: [.make(over: 2, via: "192.0.2.1", metric: 600)],
            ipv4: .over(3, table: 51820),
            manager: .make("wlan0", .yes)
        ).path()
        #expect(path.status == .satisfied)
        var tunnel = Interface(name: "wg0", index: 3, type: .other, isVirtual: true, isTunnel: true)
        tunnel.isPointToPoint = true
        #expect(path.interface == tunnel)
        #expect(path.underlay == Interface(name: "wlan0", index: 2, type: .wifi))
        #expect(path.usesInterfaceType(.wifi) && path.usesInterfaceType(.other) && !path.usesInterfaceType(.cellular))
        #expect(path.isExpensive)
        #expect(path.expensiveSource == .networkManagerYes)
        #expect(path.metered == .yes)
    }

    @Test func `a VPN over LTE uses cellular`() {
        let path = RawState.make(
            .make(2, "wwan0", hardware: 519),
            .tunnel(3),
            facts: [2: .modem],
            routes: [.make(over: 2)],
            ipv4: .over(3)
        ).path()
        #expect(path.usesInterfaceType(.cellular))
        #expect(path.expensiveSource == .cellular)
    }

    @Test func `OpenVPN's two halves lead through the tunnel while the default route names the underlay`() {
        let path = RawState.make(
            .make(2, "eth0"),
            .tunnel(3, "tun0", kind: "tun"),
            routes: [.make(over: 2, via: "192.0.2.1")],
            ipv4: .over(3, via: "10.8.0.1")
        ).path()
        #expect(path.gateways == ["10.8.0.1", "192.0.2.1"])
        #expect(path.standbyGateways.isEmpty, "packets of the tunnel pass the router below it")
        #expect(path.availableInterfaces.map(\.name) == ["tun0", "eth0"])
        #expect(path.underlay?.name == "eth0")
    }

    @Test func `a bridge with the default route carries a tunnel, and its port is the underlay`() {
        let state = RawState.make(
            .make(2, "eth0", master: 3),
            .make(3, "br0", kind: "bridge"),
            .tunnel(4),
            routes: [.make(over: 3, via: "192.0.2.1")],
            ipv4: .over(4)
        )
        let path = state.path()
        #expect(path.lowerInterfaces.map(\.name) == ["br0", "eth0"])
        #expect(path.underlay?.name == "eth0" && path.tunnelCarrier?.name == "br0")
        var plain = state
        plain.lookups[.ipv4] = .over(3, via: "192.0.2.1")
        #expect(plain.path().interface?.name == "br0" && plain.path().tunnelCarrier == nil)
    }

    @Test(arguments: [
        (MeteredState.guessNo, MeteredState.yes, MeteredState.yes), (.guessNo, .unknown, .guessNo), (.no, .yes, .no),
        (.unknown, .guessYes, .guessYes), (.unknown, .unknown, .unknown),
    ])
    func `NetworkManager's state of the underlying device takes priority over its guess about a tunnel`(
        tunnel: MeteredState,
        below: MeteredState,
        expected: MeteredState
    ) {
        let path = RawState.make(
            .make(2, "eth0"),
            .tunnel(3),
            routes: [.make(over: 2)],
            ipv4: .over(3),
            manager: .make(devices: ["wg0": .make(metered: tunnel), "eth0": .make(metered: below)])
        ).path()
        #expect(path.metered == expected)
    }

    @Test(arguments: ["vlan", "macvlan", "ipvlan", "macsec"])
    func `a stacked device has the type of its underlying interface`(kind: String) {
        for (facts, type) in [(DeviceFacts.wifi, Interface.InterfaceType.wifi), (.ethernet, .wiredEthernet)] {
            let path = RawState.make(
                .make(2, "p0"),
                .make(3, "s0", kind: kind, parent: 2),
                facts: [2: facts],
                ipv4: .over(3)
            ).path()
            #expect(path.interface == Interface(name: "s0", index: 3, type: type, isVirtual: true))
            #expect(path.underlay?.type == type)
        }
    }

    @Test(arguments: ["bond", "team", "bridge"])
    func `a device of several has the type of the member that carries`(kind: String) {
        let path = RawState.make(
            .make(2, "eth0", .noCarrier, master: 4),
            .make(3, "wwan0", master: 4),
            .make(4, "m0", kind: kind),
            facts: [3: .modem],
            ipv4: .over(4)
        ).path()
        #expect(path.interface?.type == .cellular)
        #expect(path.isExpensive)
    }

    @Test func `a stacked device without a visible underlying interface is Ethernet by its hardware type`() {
        #expect(RawState.make(.make(2, "br0", kind: "bridge"), ipv4: .over(2)).path().interface?.type == .wiredEthernet)
        let raw = Link.make(2, "ipvl0", kind: "ipvlan", hardware: 65000)
        #expect(RawState.make(raw, ipv4: .over(2)).path().interface?.type == .other)
    }

    @Test func `of a bond that balances, the member that costs most decides`() {
        let path = RawState.make(
            .make(2, "eth0", master: 4),
            .make(3, "eth1", master: 4),
            .make(4, "bond0", kind: "bond"),
            ipv4: .over(4),
            manager: .make("eth1", .guessYes)
        ).path()
        #expect(path.underlay?.name == "eth0")
        #expect(path.expensiveSource == .networkManagerGuess)
    }

    @Test func `an iPhone on a cable is Ethernet, a tether and expensive`() {
        let path = RawState.make(.make(2, "eth1"), facts: [2: .make(driver: "ipheth")], ipv4: .over(2)).path()
        #expect(path.interface == Interface(name: "eth1", index: 2, type: .wiredEthernet, isTether: true))
        #expect(path.expensiveSource == .tether)
    }

    @Test func `a container's cable says nothing about the host's, unless the configuration knows better`() {
        let state = RawState.make(
            .loopback,
            .make(2, "eth0", kind: "veth", parent: 7, namespace: 0),
            facts: [2: .make(speed: 10_000)],
            ipv4: .over(2)
        )
        let path = state.path()
        let unknown = Interface(name: "eth0", index: 2, type: .unknown, isVirtual: true)
        #expect(path.viewpoint == .container && path.underlay == nil)
        #expect(path.interface == unknown && path.ipv4Interface == unknown && path.availableInterfaces == [unknown])
        #expect(path.knownExpensive == nil && path.knownConstrained == nil && !path.isExpensive)
        #expect(!path.isCostKnown && !path.isUnmetered)
        var policy = PathPolicy()
        policy.viewpoint = .host
        let seen = state.path(policy)
        #expect(seen.viewpoint == Path.Viewpoint.host && seen.interface?.type == .wiredEthernet)
        #expect(seen.knownExpensive == false && seen.isCostKnown && seen.isUnmetered)
    }

    @Test func `from where it is seen does not depend on the path being satisfied`() {
        let veth = Link.make(2, "eth0", .noCarrier, kind: "veth", parent: 7, namespace: 0)
        #expect(RawState.make(.loopback, veth).path().viewpoint == .container)
        #expect(RawState.make(.loopback, .make(2, "eth0", .noCarrier)).path().viewpoint == .host)
        #expect(RawState.make(.loopback).path().viewpoint == .host)
        #expect(RawState.make(.loopback, .make(2, "tap0", kind: "tun"), ipv4: .over(2)).path().viewpoint == .container)
        let host = RawState.make(
            .make(2, "eth0"),
            .make(3, "veth1", kind: "veth", namespace: 1, master: 4),
            .make(4, "br0", kind: "bridge"),
            ipv4: .over(2)
        )
        #expect(host.path().viewpoint == .host)
    }

    @Test func `the speed of hardware is in bits per second`() {
        #expect(RawState.make(.make(2, "eth0"), ipv4: .over(2)).path().interface?.linkSpeed == 1_000_000_000)
        let unknown = RawState.make(.make(2, "eth0"), facts: [2: .make(device: true)], ipv4: .over(2))
        #expect(unknown.path().interface?.linkSpeed == nil)
    }

    @Test func `interfaces that could take over follow by family, metric and index, without those that are down`() {
        let path = RawState.make(
            .loopback,
            .make(2, "eth0"),
            .make(3, "wlan0"),
            .make(4, "wwan0"),
            .make(5, "eth1", .noCarrier),
            .make(6, "eth2"),
            .make(7, "eth3"),
            routes: [
                .make(over: 3, via: "192.0.2.129", metric: 600), .make(over: 2, via: "192.0.2.1", metric: 100),
                .make(over: 4, metric: 600), .make(over: 5, metric: 50),
                .make(.ipv6, over: 6, via: "fe80::6", metric: 1),
                .make(over: 7, via: "192.0.2.7", table: 100), .make(over: 7, kind: 7), .make(over: 1, metric: 7),
            ],
            ipv4: .over(2, via: "192.0.2.1")
        ).path()
        #expect(path.availableInterfaces.map(\.name) == ["eth0", "wlan0", "wwan0", "eth2"])
        #expect(path.gateways == ["192.0.2.1", "192.0.2.129", "fe80::6%eth2"])
        #expect(path.standbyGateways == ["192.0.2.129", "fe80::6%eth2"])
    }

    @Test func `a table counts when the lookup was answered from it`() {
        let path = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth1"),
            routes: [.make(over: 3, via: "192.0.2.7", table: 100)],
            ipv4: .over(2, table: 100)
        ).path()
        #expect(path.gateways == ["192.0.2.7"])
    }

    @Test func `families over different devices both count`() {
        let path = RawState.make(
            .make(2, "wlan0"),
            .make(3, "wwan0"),
            facts: [2: .wifi, 3: .modem],
            ipv4: .over(2),
            ipv6: .over6(3, via: "fe80::1")
        ).path()
        #expect(path.interface?.name == "wlan0")
        #expect(path.ipv4Interface?.name == "wlan0")
        #expect(path.ipv6Interface?.name == "wwan0")
        #expect(path.usesInterfaceType(.cellular))
        #expect(path.expensiveSource == .cellular)
    }

    @Test func `an unsatisfied path is never expensive, but stays constrained`() {
        var policy = PathPolicy()
        policy.expensive = true
        policy.constrained = true
        let path = RawState.make(.make(2, "eth0", .noCarrier), ipv4: .over(2)).path(policy)
        #expect(!path.isExpensive && path.expensiveSource == .assumed)
        #expect(path.isConstrained && path.constrainedSource == .config)
        #expect(RawState().path(policy).isConstrained)
    }

    @Test func `a rule for the device below a tunnel reaches the path`() {
        var policy = PathPolicy()
        policy.rules = [.init(interfaceGlob: "wlan*", expensive: true, constrained: true)]
        let path = RawState.make(.make(2, "wlan0"), .tunnel(3), routes: [.make(over: 2)], ipv4: .over(3)).path(policy)
        #expect(path.expensiveSource == .rule && path.isExpensive)
        #expect(path.constrainedSource == .rule && path.isConstrained)
    }

    @Test func `all links that are on and cannot carry traffic are listed`() {
        let state = RawState.make(
            .loopback,
            .make(2, "eth0"),
            .make(3, "eth1", .noCarrier),
            .make(4, "eth2", .down),
            ipv4: .over(2)
        )
        #expect(state.evaluation().withoutCarrier == [3])
    }

    @Test func `resolvers make DNS supported`() {
        var state = RawState.make(.make(2, "eth0"), ipv4: .over(2))
        #expect(!state.path().supportsDNS)
        state.nameservers = ["192.0.2.53"]
        #expect(state.path().supportsDNS)
        #expect(state.path().dnsServers == ["192.0.2.53"])
    }

    @Test func `the default anchors are one address of each family`() {
        #expect(PathPolicy().anchors.mapValues(\.description) == [.ipv4: "1.1.1.1", .ipv6: "2606:4700:4700::1111"])
    }
}
