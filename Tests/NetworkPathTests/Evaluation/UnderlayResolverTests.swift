import Posix
import Testing

@testable import NetworkPath

struct UnderlayResolverTests {
    @Test(arguments: ["vlan", "macvlan", "ipvlan", "macsec", "vxlan", "gre", "sit"])
    func `the parent of a device is its underlying interface`(kind: String) {
        let state = RawState.make(.make(2, "wlan0"), .make(3, "s0", kind: kind, parent: 2), facts: [2: .wifi])
        #expect(resolve(3, state) == Underlay(state: .usable, chain: [2]))
    }

    @Test func `a parent in another namespace is not visible`() {
        // Index 2 exists here too, and is somebody else.
        let state = RawState.make(.make(2, "eth0"), .make(3, "mv0", kind: "macvlan", parent: 2, namespace: 0))
        #expect(resolve(3, state) == Underlay(state: .unknown))
    }

    @Test func `a bond's active member is its underlying interface`() {
        let state = RawState.make(
            .make(2, "eth0", master: 4),
            .make(3, "wlan0", master: 4),
            .make(4, "bond0", kind: "bond", activeSlave: 3)
        )
        #expect(resolve(4, state) == Underlay(state: .usable, chain: [3]))
    }

    @Test func `sysfs names the active member where netlink does not`() {
        var facts = DeviceFacts.virtual
        facts.activeSlave = "eth1"
        let state = RawState.make(
            .make(2, "eth0", master: 4),
            .make(3, "eth1", master: 4),
            .make(4, "bond0", kind: "bond"),
            facts: [4: facts]
        )
        #expect(resolve(4, state).chain == [3])
    }

    @Test func `without an active member all running members of a bond carry`() {
        let state = RawState.make(
            .make(2, "eth0", .noCarrier, master: 5),
            .make(3, "eth1", master: 5),
            .make(4, "eth2", master: 5),
            .make(5, "bond0", kind: "bond")
        )
        #expect(resolve(5, state) == Underlay(state: .usable, chain: [3], parallel: [4]))
    }

    @Test(arguments: ["bridge", "team", "vrf"])
    func `a bridge's running hardware is its underlying interface, not containers or virtual machines`(kind: String) {
        let state = RawState.make(
            .make(2, "veth1", kind: "veth", namespace: 1, master: 7),
            .make(3, "tap0", kind: "tun", master: 7),
            .make(4, "eth0", .noCarrier, master: 7),
            .make(5, "bond0", kind: "bond", master: 7),
            .make(6, "eth1", master: 7),
            .make(7, "br0", kind: kind)
        )
        #expect(resolve(7, state).chain == [6])
    }

    @Test func `a bridge of containers has no underlying interface`() {
        let state = RawState.make(
            .make(2, "veth1", kind: "veth", namespace: 1, master: 3),
            .make(3, "docker0", kind: "bridge")
        )
        #expect(resolve(3, state) == Underlay())
    }

    @Test func `the best usable other default route of table main carries a tunnel's packets`() {
        let state = RawState.make(
            .make(2, "eth0", .noCarrier),
            .make(3, "wlan0"),
            .make(4, "eth1"),
            .tunnel(5),
            .tunnel(6, "tun0", kind: "tun"),
            routes: [
                .make(over: 2, metric: 10), .make(over: 3, metric: 600), .make(over: 4, metric: 700),
                .make(over: 5, metric: 1), .make(over: 6, metric: 2), .make(over: 4, metric: 1, table: 100),
                .make(over: 4, metric: 3, kind: 7),
            ]
        )
        #expect(resolve(5, state) == Underlay(state: .usable, chain: [3]))
    }

    @Test func `a tunnel takes an IPv6 way out where there is no other`() {
        let state = RawState.make(.make(2, "eth0"), .tunnel(5), routes: [.make(.ipv6, over: 2, metric: 1024)])
        #expect(resolve(5, state).chain == [2])
    }

    @Test func `PPP is the underlying interface of a tunnel over it, and has no visible one itself`() {
        let state = RawState.make(
            .make(2, "eth0"),
            .make(3, "ppp0", .unknownUp, kind: "ppp", hardware: 512),
            .tunnel(4),
            routes: [.make(over: 3)]
        )
        #expect(resolve(4, state) == Underlay(state: .usable, chain: [3]))
        #expect(resolve(3, state) == Underlay(state: .unknown))
    }

    @Test func `the chain below a tunnel over a VLAN ends at the hardware`() {
        let state = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth0.7", kind: "vlan", parent: 2),
            .tunnel(4),
            routes: [.make(over: 3)]
        )
        #expect(resolve(4, state).chain == [3, 2])
    }

    @Test(arguments: [(Condition.noCarrier, DownCause.carrier), (.down, .administrative)])
    func `a tunnel whose only way out is down is down with it`(condition: Condition, cause: DownCause) {
        let state = RawState.make(
            .make(2, "eth0", condition),
            .tunnel(5),
            routes: [.make(over: 2), .make(.ipv6, over: 2)]
        )
        #expect(resolve(5, state) == Underlay(state: .unusable(cause), chain: [2]))
    }

    @Test func `a tunnel with only virtual bridges around it has no way out`() throws {
        let state = RawState.make(
            .loopback,
            .make(2, "eth0", .noCarrier),
            .make(3, "docker0", kind: "bridge"),
            .tunnel(5),
            addresses: [try .make(3, "172.17.0.1", length: 16)]
        )
        #expect(resolve(5, state) == Underlay(state: .unusable(.route)))
    }

    @Test
    func `a tunnel without a default route below, but with hardware that has an address, may use a route to its peer`()
        throws
    {
        let state = RawState.make(.make(2, "eth0"), .tunnel(5), addresses: [try .make(2, "192.0.2.10")])
        #expect(resolve(5, state) == Underlay(state: .unknown))
    }

    @Test(arguments: ["bond", "bridge", "vlan"])
    func `a tunnel that is the only default route may reach its peer over what is stacked on hardware`(kind: String)
        throws
    {
        let master: Int32? = kind == "vlan" ? nil : 3
        let state = RawState.make(
            .make(2, "eth0", master: master),
            .make(3, "s0", kind: kind, parent: kind == "vlan" ? 2 : nil),
            .tunnel(5),
            addresses: [try .make(3, "192.0.2.10")]
        )
        #expect(resolve(5, state) == Underlay(state: .unknown))
    }

    @Test func `a VLAN over a tunnel is no way out of another tunnel`() throws {
        let state = RawState.make(
            .make(2, "vx0", kind: "vxlan"),
            .make(3, "vx0.7", kind: "vlan", parent: 2),
            .tunnel(5),
            addresses: [try .make(3, "192.0.2.10")]
        )
        #expect(resolve(5, state) == Underlay(state: .unusable(.route)))
    }

    @Test func `an IPsec interface with the loopback as its parent uses the way out of a tunnel`() {
        let state = RawState.make(
            .loopback,
            .make(2, "eth0"),
            .make(5, "ipsec0", kind: "xfrm", parent: 1),
            routes: [.make(over: 2)]
        )
        #expect(resolve(5, state) == Underlay(state: .usable, chain: [2]))
    }

    @Test func `a tunnel alone in its namespace has an underlying interface outside`() {
        let state = RawState.make(.loopback, .make(2, "tap0", kind: "tun"))
        #expect(resolve(2, state) == Underlay(state: .unknown))
    }

    @Test func `the end of a cable is hardware enough, and its other end is not below it`() {
        let state = RawState.make(.make(2, "a", kind: "veth", parent: 3), .make(3, "b", kind: "veth", parent: 2))
        #expect(resolve(2, state) == Underlay())
    }

    @Test func `a cycle ends`() {
        let state = RawState.make(
            .make(2, "a", kind: "macvlan", parent: 3),
            .make(3, "b", kind: "vlan", parent: 4),
            .make(4, "c", kind: "vlan", parent: 2)
        )
        #expect(resolve(2, state).chain == [3, 4])
    }

    @Test func `a device that names itself as its parent has no visible underlying interface`() {
        #expect(resolve(2, .make(.make(2, "a", kind: "vlan", parent: 2))) == Underlay(state: .unknown))
    }

    @Test func `absurd stacking is cut off`() {
        var state = RawState()
        for index in Int32(1)...40 {
            _ = state.upsert(.make(index, "v\(index)", kind: "vlan", parent: index + 1), at: epoch)
        }
        #expect(resolve(1, state).chain == Array(2...9))
    }

    private func resolve(_ index: Int32, _ state: RawState) -> Underlay {
        UnderlayResolver(state: state).resolve(index)
    }
}
