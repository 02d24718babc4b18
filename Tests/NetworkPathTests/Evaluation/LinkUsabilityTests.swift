import Netlink
import Posix
import Testing

@testable import NetworkPath

struct LinkUsabilityTests {
    @Test(arguments: [
        (Condition.up, true), (.noCarrier, false), (.down, false), (.dormant, false), (.lowerLayerDown, false),
        (.testing, false), (.transient, false), (.unknownUp, true),
    ])
    func `an Ethernet link is usable when it is up, running and operational`(condition: Condition, usable: Bool) {
        #expect(Link.make(2, "eth0", condition).isUsable == usable)
    }

    @Test func `Ethernet without its lower layer is not usable, a tunnel is`() {
        var ethernet = Link.make(2, "eth0", .unknownUp)
        ethernet.flags &= ~0x1_0000
        var tunnel = Link.tunnel(3)
        tunnel.flags &= ~0x1_0000
        #expect(!ethernet.isUsable)
        #expect(tunnel.isUsable)
    }

    @Test func `the loopback is never usable`() {
        #expect(!Link.loopback.isUsable)
    }

    @Test func `the cause of a link that is down is the carrier or the administrator`() {
        #expect(Link.make(2, "eth0", .noCarrier).downCause == .carrier)
        #expect(Link.make(2, "eth0", .down).downCause == .administrative)
    }
}
