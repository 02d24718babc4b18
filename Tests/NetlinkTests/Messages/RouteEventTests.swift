import CLinux
import Lab
import Netlink
import Posix
import Testing

struct RouteEventTests {
    @Test func `reads recorded changes`() throws {
        var log: [String] = []
        for datagram in try RecordedNetlink.events.datagrams() {
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
                case .ndUserOption(let option): log.append("option \(option.type)")
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

    @Test func `hands on an announced option, and ignores what no router announced`() throws {
        let option: [UInt8] = [37, 1, 1, 2, 3, 4, 5, 6]
        let expected = NeighbourOption(interfaceIndex: 7, type: 37, bytes: [1, 2, 3, 4, 5, 6])
        #expect(try Parse.event(type: RTM_NEWNDUSEROPT, Build.option(option)) == .ndUserOption(expected))
        #expect(try Parse.event(type: RTM_NEWNDUSEROPT, Build.option(icmpType: 137, option)) == nil)
    }

    @Test(arguments: [
        (RTM_NEWRULE, RouteEvent.rule), (RTM_DELRULE, .rule), (RTM_NEWNEXTHOP, .nexthop), (RTM_DELNEXTHOP, .nexthop),
        (RTM_NEWNEIGH, .other(type: RTM_NEWNEIGH)),
    ])
    func `needs no payload where the type is sufficient`(type: Int, event: RouteEvent) throws {
        #expect(try Parse.event(type: type, []) == event)
    }
}
