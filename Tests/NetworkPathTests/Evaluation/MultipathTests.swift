import Netlink
import Posix
import Testing

@testable import NetworkPath

/// What a path says beside its status.
struct MultipathTests {
    @Test func `with all next hops usable a multipath route is just that`() {
        let evaluation = Self.multipath(.up, .up)
        #expect(evaluation.path.isMultipath && !evaluation.path.isDegraded)
        #expect(evaluation.path.gateways == ["192.0.2.1", "198.51.100.1"])
        #expect(evaluation.path.standbyGateways.isEmpty)
    }

    @Test func `a next hop that is down degrades the path and takes its gateway away`() {
        let evaluation = Self.multipath(.up, .noCarrier)
        #expect(evaluation.path.status == .satisfied)
        #expect(evaluation.path.isMultipath && evaluation.path.isDegraded)
        #expect(evaluation.path.interface?.name == "eth0")
        #expect(evaluation.path.gateways == ["192.0.2.1"])
        let changes = PathUpdate.difference(Self.multipath(.up, .up).path, evaluation.path)
        #expect(changes == [.gateway, .interface])
    }

    @Test func `the next hop of the lookup is the path's`() {
        let hops = [RouteHop.make(2, via: "192.0.2.1"), .make(3, via: "198.51.100.1")]
        let path = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth1"),
            routes: [.make(over: nil, hops: hops)],
            ipv4: .over(3, via: "198.51.100.1"),
            nextHops: hops
        ).path()
        #expect(path.interface?.name == "eth1")
        #expect(path.gateways == ["198.51.100.1", "192.0.2.1"])
    }

    @Test func `when the lookup names a dead next hop, another one is the path's`() {
        let evaluation = Self.multipath(.noCarrier, .up)
        #expect(evaluation.path.status == .satisfied)
        #expect(evaluation.path.interface?.name == "eth1")
        #expect(evaluation.path.gateways == ["198.51.100.1"])
        #expect(evaluation.path.isMultipath && evaluation.path.isDegraded)
    }

    @Test func `with every next hop down the link is down`() {
        let evaluation = Self.multipath(.noCarrier, .noCarrier)
        #expect(evaluation.path.unsatisfiedReason == .linkDown)
        #expect(evaluation.downCause == .carrier)
        #expect(!evaluation.path.isMultipath)
    }

    @Test func `a next hop that the kernel marks as dead is not usable`() {
        let state = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth1"),
            ipv4: .over(2),
            nextHops: [.make(2), .make(3, flags: 0x10)]
        )
        #expect(state.path().isDegraded)
    }

    @Test func `a next hop that costs makes the path expensive while it is used`() {
        let hops = [RouteHop.make(2), .make(3)]
        let used = RawState.make(
            .make(2, "eth0"),
            .make(3, "wwan0"),
            facts: [3: .modem],
            ipv4: .over(2),
            nextHops: hops
        )
        let dead = RawState.make(
            .make(2, "eth0"),
            .make(3, "wwan0", .noCarrier),
            facts: [3: .modem],
            ipv4: .over(2),
            nextHops: hops
        )
        #expect(used.path().isExpensive)
        #expect(!dead.path().isExpensive)
    }

    /// A default route over eth0 and eth1, of which the lookup named eth0.
    private static func multipath(_ first: Condition, _ second: Condition) -> PathEvaluation {
        let hops = [RouteHop.make(2, via: "192.0.2.1"), .make(3, via: "198.51.100.1")]
        return RawState.make(
            .make(2, "eth0", first),
            .make(3, "eth1", second),
            routes: [.make(over: nil, hops: hops)],
            ipv4: .over(2, via: "192.0.2.1"),
            nextHops: hops
        ).evaluation()
    }
}
