import Netlink
import Posix
import Testing

@testable import NetworkPath

/// The table of statuses, row by row.
struct PathStatusTests {
    private static let ethernet = Link.make(2, "eth0")

    @Test func `a route over a usable link with a source address satisfies the path`() {
        let evaluation = RawState.make(Self.ethernet, ipv4: .over(2, via: "192.0.2.1")).evaluation()
        #expect(evaluation.path.status == .satisfied)
        #expect(evaluation.path.unsatisfiedReason == nil)
        #expect(evaluation.downCause == nil)
        #expect(evaluation.path.interface?.name == "eth0")
        #expect(evaluation.path.supportsIPv4)
        #expect(!evaluation.path.supportsIPv6)
    }

    @Test func `IPv6 alone satisfies it too`() {
        let path = RawState.make(Self.ethernet, ipv6: .over6(2)).path()
        #expect(path.status == .satisfied)
        #expect(path.supportsIPv6 && !path.supportsIPv4)
        #expect(path.ipv6Interface?.name == "eth0" && path.ipv4Interface == nil)
    }

    @Test(arguments: [
        (Condition.noCarrier, DownCause.carrier), (.lowerLayerDown, .carrier), (.dormant, .carrier),
        (.testing, .carrier), (.down, .administrative),
    ])
    func `a route over a link that is down is not enough, and the link stays named`(
        condition: Condition,
        cause: DownCause
    ) {
        let evaluation = RawState.make(.make(2, "eth0", condition), ipv4: .over(2)).evaluation()
        #expect(evaluation.path.status == .unsatisfied)
        #expect(evaluation.path.unsatisfiedReason == .linkDown)
        #expect(evaluation.downCause == cause)
        #expect(evaluation.path.interface?.name == "eth0")
        #expect(evaluation.path.ipv4Interface == nil && !evaluation.path.supportsIPv4)
        #expect(evaluation.path.gateways.isEmpty && evaluation.path.availableInterfaces.isEmpty)
    }

    @Test func `a route over a link that is gone has nothing to name`() {
        let evaluation = RawState.make(ipv4: .over(9)).evaluation()
        #expect(evaluation.path.unsatisfiedReason == .linkDown)
        #expect(evaluation.downCause == .gone)
        #expect(evaluation.path.interface == nil)
    }

    @Test func `one working family is enough`() {
        let path = RawState.make(
            .make(2, "eth0", .noCarrier),
            .make(3, "eth1"),
            ipv4: .over(2),
            ipv6: .over6(3)
        ).path()
        #expect(path.status == .satisfied)
        #expect(path.interface?.name == "eth1")
    }

    @Test func `of two families that fail, the one whose device is down is named`() {
        let path = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth1", .noCarrier),
            ipv4: .over(2, source: "169.254.7.7"),
            ipv6: .over6(3)
        ).path()
        #expect(path.unsatisfiedReason == .linkDown)
        #expect(path.interface?.name == "eth1")
    }

    @Test func `a tunnel without its process is an inactive VPN`() {
        let evaluation = RawState.make(
            .make(2, "wlan0"),
            .tunnel(3, "tun0", .noCarrier, kind: "tun"),
            routes: [.make(over: 2), .make(over: 3)],
            ipv4: .over(3)
        ).evaluation()
        #expect(evaluation.path.status == .unsatisfied)
        #expect(evaluation.path.unsatisfiedReason == .vpnInactive)
        #expect(evaluation.downCause == .carrier)
        #expect(evaluation.path.interface?.name == "tun0")
    }

    @Test(arguments: [(Condition.noCarrier, DownCause.carrier), (.down, .administrative)])
    func `a tunnel over a dead link is a link down`(condition: Condition, cause: DownCause) {
        let evaluation = RawState.make(
            .make(2, "eth0", condition),
            .tunnel(3),
            routes: [.make(.ipv6, over: 2)],
            ipv4: .over(3)
        ).evaluation()
        #expect(evaluation.path.unsatisfiedReason == .linkDown)
        #expect(evaluation.downCause == cause)
        #expect(evaluation.path.interface?.name == "wg0")
        #expect(evaluation.path.underlay?.name == "eth0")
    }

    @Test func `a tunnel with nothing below is an inactive VPN, one that cannot be seen through is fine`() {
        let nothing = RawState.make(.make(2, "eth0"), .tunnel(3), ipv4: .over(3))
        #expect(nothing.path().unsatisfiedReason == .vpnInactive)
        let hidden = RawState.make(.loopback, .tunnel(3), ipv4: .over(3))
        #expect(hidden.path().status == .satisfied)
    }

    @Test(arguments: [RouteLookup.blackhole, .prohibited, .hostUnreachable])
    func `a route that refuses is a policy`(lookup: RouteLookup) {
        let evaluation = RawState.make(.loopback, Self.ethernet, ipv4: lookup).evaluation()
        #expect(evaluation.path.status == .unsatisfied)
        #expect(evaluation.path.unsatisfiedReason == .policyDenied)
        #expect(evaluation.downCause == .route)
        #expect(evaluation.path.interface == nil)
    }

    @Test(arguments: [
        NetworkManagerFacts.make(state: 40), .make(devices: ["wlan0": .make(state: 40)]),
        .make(devices: ["wlan0": .make(state: 90)]),
    ])
    func `NetworkManager on its way is a connection in the making`(facts: NetworkManagerFacts) {
        let evaluation = RawState.make(Self.ethernet, manager: facts).evaluation()
        #expect(evaluation.path.status == .requiresConnection)
        #expect(evaluation.path.unsatisfiedReason == .connecting)
        #expect(evaluation.reevaluateAt == nil)
    }

    @Test(arguments: [UInt32(30), 39, 91, 100, 120])
    func `a device that is not connecting is no connection in progress`(state: UInt32) {
        let facts = NetworkManagerFacts.make(devices: ["wlan0": .make(state: state)])
        #expect(RawState.make(Self.ethernet, manager: facts).path().unsatisfiedReason == .noRoute)
    }

    @Test func `a dormant link is a connection in the making, also where its route is hidden`() {
        let link = Link.make(2, "wlan0", .dormant)
        #expect(RawState.make(link).path().unsatisfiedReason == .connecting)
        #expect(RawState.make(link, routes: [.make(over: 2)]).path().unsatisfiedReason == .connecting)
    }

    @Test func `a link that came up just now has 15 seconds to get an address`() {
        let state = RawState.make(Self.ethernet, upSince: epoch)
        let young = state.evaluation(after: .milliseconds(14_900))
        #expect(young.path.status == .requiresConnection)
        #expect(young.path.unsatisfiedReason == .connecting)
        #expect(young.reevaluateAt == epoch.advanced(by: .seconds(15)))
        let old = state.evaluation(after: .seconds(15))
        #expect(old.path.status == .unsatisfied)
        #expect(old.path.unsatisfiedReason == .noRoute)
        #expect(old.reevaluateAt == nil)
    }

    @Test(arguments: [
        ("192.0.2.10", UInt32(0), Path.UnsatisfiedReason.noRoute), ("169.254.3.4", 0, .connecting),
        ("fe80::1", 0, .connecting), ("2001:db8::1", 0, .noRoute), ("2001:db8::1", 0x40, .connecting),
    ])
    func `an address that reaches beyond the link ends the time of connecting`(
        address: String,
        flags: UInt32,
        reason: Path.UnsatisfiedReason
    ) throws {
        let state = RawState.make(Self.ethernet, addresses: [try .make(2, address, flags: flags)], upSince: epoch)
        #expect(state.path().unsatisfiedReason == reason)
    }

    @Test func `ports of a bridge, tunnels and the loopback never connect`() {
        let state = RawState.make(
            .loopback,
            .make(2, "veth1", kind: "veth", namespace: 1, master: 9),
            .tunnel(3),
            upSince: epoch
        )
        #expect(state.path().unsatisfiedReason == .noRoute)
    }

    @Test func `a modem that could connect is an inactive cellular network`() {
        let path = RawState.make(manager: .make(devices: ["cdc-wdm0": .make(type: 8, state: 30)])).path()
        #expect(path.status == .requiresConnection)
        #expect(path.unsatisfiedReason == .cellularInactive)
        let ethernet = RawState.make(manager: .make(devices: ["eth0": .make(type: 1, state: 30)])).path()
        #expect(ethernet.unsatisfiedReason == .noRoute)
    }

    @Test(arguments: [NetworkManagerFacts.make(state: 10), .make(enabled: false)])
    func `networking that is switched off is disabled, unless something else carries`(facts: NetworkManagerFacts) {
        let off = RawState.make(Self.ethernet, manager: facts).path()
        #expect(off.status == .unsatisfied && off.unsatisfiedReason == .disabled)
        #expect(RawState.make(Self.ethernet, ipv4: .over(2), manager: facts).path().status == .satisfied)
    }

    @Test func `without anything it is no route`() {
        let evaluation = RawState.make(Self.ethernet).evaluation()
        #expect(evaluation.path.status == .unsatisfied)
        #expect(evaluation.path.unsatisfiedReason == .noRoute)
        #expect(evaluation.downCause == .route)
        #expect(RawState().evaluation().path.unsatisfiedReason == .noRoute)
    }

    @Test(arguments: [RouteLookup.over(1), .over(1, kind: 2), .over(nil), .over(2, kind: 9)])
    func `the loopback and lookups that lead nowhere are no path`(lookup: RouteLookup) {
        let path = RawState.make(.loopback, Self.ethernet, ipv4: lookup).path()
        #expect(path.unsatisfiedReason == .noRoute)
        #expect(path.interface == nil)
    }

    @Test func `a route that the kernel hides for want of a carrier is a link down`() {
        let evaluation = RawState.make(.make(2, "eth0", .noCarrier), routes: [.make(over: 2)]).evaluation()
        #expect(evaluation.path.unsatisfiedReason == .linkDown)
        #expect(evaluation.path.interface?.name == "eth0")
        #expect(evaluation.downCause == .carrier)
    }

    @Test(arguments: [
        (RawState.make(.make(2, "eth0", .noCarrier)), Path.UnsatisfiedReason.linkDown, DownCause.carrier),
        (RawState.make(), .linkDown, .gone), (RawState.make(Self.ethernet), .noRoute, .route),
    ])
    func `routes that went with their link are put down to it, as the reason and as the cause`(
        state: RawState,
        reason: Path.UnsatisfiedReason,
        cause: DownCause
    ) {
        let carrier = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        let evaluation = PathEvaluator.evaluate(state, carriers: [carrier], now: epoch)
        #expect(evaluation.path.unsatisfiedReason == reason)
        #expect(evaluation.downCause == cause)
    }

    /// The routes over a cable go with it, and a tunnel's own stay: it has no carrier to lose.
    @Test(arguments: [
        (
            RawState.make(.make(2, "eth0", .noCarrier), .tunnel(3), ipv4: .over(3)),
            Path.UnsatisfiedReason.linkDown, DownCause.carrier
        ),
        (RawState.make(.make(2, "eth0", .down)), .linkDown, .administrative),
        (RawState.make(Self.ethernet, .tunnel(3), ipv4: .over(3)), .vpnInactive, .route),
        (RawState.make(Self.ethernet, .tunnel(3, "wg0", .down)), .vpnInactive, .administrative),
        (RawState.make(Self.ethernet), .vpnInactive, .gone),
        (RawState.make(Self.ethernet, ipv4: .blackhole), .policyDenied, .route),
    ])
    func `what is lost with a tunnel is put down to the link below it, else to the tunnel`(
        state: RawState,
        reason: Path.UnsatisfiedReason,
        cause: DownCause
    ) {
        let cable = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        let tunnel = Interface(name: "wg0", index: 3, type: .other, isTunnel: true)
        let evaluation = PathEvaluator.evaluate(state, carriers: [cable, tunnel], now: epoch)
        #expect(evaluation.path.unsatisfiedReason == reason)
        #expect(evaluation.downCause == cause)
    }

    @Test(arguments: [nil, "169.254.7.7", "0.0.0.0", "127.0.0.1"])
    func `a route without a source address to use is none, but its device is named`(source: String?) {
        let path = RawState.make(Self.ethernet, ipv4: .over(2, source: source)).path()
        #expect(path.status == .unsatisfied)
        #expect(path.unsatisfiedReason == .noRoute)
        #expect(!path.supportsIPv4)
        #expect(path.interface?.name == "eth0")
    }

    @Test(arguments: [
        ("2001:db8::10", UInt32(0), UInt8(0), nil, true), ("2001:db8::10", 0x80, 0, 3600, true),
        ("fd00::10", 0, 0, nil, true), ("2001:db8::10", 0x40, 0, nil, false), ("2001:db8::10", 0x08, 0, nil, false),
        ("2001:db8::10", 0x20, 0, nil, false), ("2001:db8::10", 0, 0, UInt32(0), false),
        ("2001:db8::10", 0, 253, nil, false), ("fe80::10", 0, 253, nil, false), ("::1", 0x80, 254, nil, false),
    ])
    func `an IPv6 source must be global, unique, confirmed and preferred`(
        source: String,
        flags: UInt32,
        scope: UInt8,
        preferred: UInt32?,
        supported: Bool
    ) throws {
        let address = try Address.make(2, source, length: 64, flags: flags, scope: scope, preferred: preferred)
        let path = RawState.make(Self.ethernet, addresses: [address], ipv6: .over6(2, source: source)).path()
        #expect(path.supportsIPv6 == supported)
        #expect((path.status == .satisfied) == supported)
    }
}
