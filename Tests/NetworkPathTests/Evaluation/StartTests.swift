import Netlink
import Posix
import Testing

@testable import NetworkPath

/// The first two seconds after a start, in which the kernel may not yet have marked a link with a carrier as running.
struct StartTests {
    private static let pending = Link.make(2, "eth0", .transient)

    @Test(arguments: [
        RawState.make(pending, ipv4: .over(2)), .make(pending, ipv6: .over6(2)),
        // The kernel hides the route, or has not confirmed the source address yet.
        .make(pending, routes: [.make(over: 2)]), .make(pending, ipv6: .over6(2, source: nil)),
        // What is below a tunnel.
        .make(pending, .tunnel(3), routes: [.make(.ipv6, over: 2)], ipv4: .over(3)),
    ])
    func `a link with a carrier that is not running yet is connecting, not down`(state: RawState) {
        let evaluation = state.evaluation(afterStart: .milliseconds(1999))
        #expect(evaluation.path.status == .requiresConnection)
        #expect(evaluation.path.unsatisfiedReason == .connecting)
        #expect(evaluation.isSettling)
        #expect(evaluation.reevaluateAt == epoch.advanced(by: .seconds(2)))
    }

    @Test func `after two seconds, and where the start is over, it is down`() {
        let state = RawState.make(Self.pending, ipv4: .over(2))
        for evaluation in [state.evaluation(afterStart: .seconds(2)), state.evaluation()] {
            #expect(evaluation.path.unsatisfiedReason == .linkDown)
            #expect(evaluation.downCause == .carrier)
            #expect(!evaluation.isSettling)
            #expect(evaluation.reevaluateAt == nil)
        }
    }

    @Test(arguments: [
        RawState.make(.make(2, "eth0", .noCarrier), ipv4: .over(2)), .make(.make(2, "eth0", .down), ipv4: .over(2)),
        .make(.make(2, "eth0", .lowerLayerDown), ipv4: .over(2)), .make(ipv4: .over(9)), .make(ipv4: .blackhole),
        .make(),
        // Another container's.
        .make(.make(3, "veth1", .transient), .make(2, "eth0", .noCarrier), ipv4: .over(2)),
        .make(.make(2, "eth0"), .make(3, "veth1", .transient)),
        .make(.make(2, "eth0", .transient), ipv4: .prohibited),
    ])
    func `everything else is as unusable as later`(state: RawState) {
        let evaluation = state.evaluation(afterStart: .zero)
        #expect(evaluation == state.evaluation())
        #expect(!evaluation.isSettling)
    }

    @Test func `a path that works has settled`() {
        let state = RawState.make(.make(2, "eth0"), .make(3, "veth1", .transient), ipv4: .over(2))
        #expect(state.evaluation(afterStart: .zero) == state.evaluation())
    }

    @Test func `a connection in progress is no outage in that time, and keeps its own end`() {
        let young = RawState.make(.make(2, "eth0"), upSince: epoch)
        let evaluation = young.evaluation(afterStart: .seconds(1))
        #expect(evaluation.isSettling)
        #expect(evaluation.reevaluateAt == epoch.advanced(by: .seconds(2)))
        let later = young.evaluation(afterStart: .seconds(2))
        #expect(!later.isSettling && later.path == evaluation.path)
        #expect(later.reevaluateAt == epoch.advanced(by: .seconds(15)))
        #expect(RawState.make(.make(2, "wlan0", .dormant)).evaluation(afterStart: .zero).isSettling)
    }
}
