import CLinux
import Netlink
import Testing

struct RouteEventTests {
    @Test func `understands recorded changes`() throws {
        var log: [String] = []
        for datagram in try Fixture.events.datagrams() {
            for (message, payload) in try Parse.messages(datagram) {
                switch try RouteEvent(message, payload: payload.span.bytes) {
                case .link(let link): log.append("link \(link.name)")
                case .linkDeleted(let index): log.append("link \(index) deleted")
                case .address(let address): log.append("address \(address.address)")
                case .addressDeleted(let address): log.append("address \(address.address) deleted")
                case .route(let route): log.append("route /\(route.destinationLength)")
                case .routeDeleted(let route): log.append("route /\(route.destinationLength) deleted")
                case .rule: log.append("rule")
                case .nexthop: log.append("nexthop")
                case .ndUserOption(let index): log.append("option \(index)")
                case .other(let type): log.append("other \(type)")
                case nil: log.append("-")
                }
            }
        }
        #expect(
            log == [
                // The port leaves its bridge: the bridge family's messages, a deletion among them, are ignored.
                "link veth1", "-", "-", "link veth1", "link br0",
                "address 198.18.1.1 deleted", "route /32 deleted", "-",
                "address 198.18.2.1", "-", "route /24", "-",
                "route /24", "route /24 deleted", "rule", "nexthop",
                // The device goes down: no word of its IPv4 routes.
                "link veth0", "route /64 deleted", "route /64 deleted", "route /64 deleted", "route /0 deleted",
                "route /0 deleted", "route /0 deleted", "-", "-", "-",
                "address 2001:db8:1::1 deleted", "address 2001:db8::1 deleted", "address fe80::ff:fe00:10 deleted",
                "link veth1", "link veth0", "link 15 deleted",
            ]
        )
    }

    @Test func `reads the device of an announced option`() throws {
        let payload: [UInt8] = [10, 0, 8, 0] + Build.integer(Int32(7)) + [134, 0, 0, 0, 0, 0, 0, 0]
        #expect(try Parse.event(type: RTM_NEWNDUSEROPT, payload) == .ndUserOption(interfaceIndex: 7))
        #expect(throws: NetlinkError.truncated(what: "ND user option", offset: 4)) {
            try Parse.event(type: RTM_NEWNDUSEROPT, [10, 0, 8, 0])
        }
    }

    @Test(arguments: [
        (RTM_NEWRULE, RouteEvent.rule), (RTM_DELRULE, .rule), (RTM_NEWNEXTHOP, .nexthop), (RTM_DELNEXTHOP, .nexthop),
        (RTM_NEWNEIGH, .other(type: RTM_NEWNEIGH)),
    ])
    func `needs no payload where the type says all`(type: Int, event: RouteEvent) throws {
        #expect(try Parse.event(type: type, []) == event)
    }
}
