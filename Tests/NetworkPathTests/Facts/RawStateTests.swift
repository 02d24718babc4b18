import Netlink
import Posix
import Testing

@testable import NetworkPath

struct RawStateTests {
    private static let hops = [RouteHop.make(2, via: "192.0.2.1"), .make(3, via: "198.51.100.1")]

    @Test func `the same event again changes nothing`() throws {
        var state = RawState()
        let link = Link.make(2, "eth0")
        let address = try Address.make(2, "192.0.2.10")
        let route = Route.make(over: 2, via: "192.0.2.1")
        expectChange(state.upsert(link, at: epoch))
        expectNoChange(state.upsert(link, at: epoch))
        expectChange(state.upsert(address))
        expectNoChange(state.upsert(address))
        expectChange(state.upsert(route))
        expectNoChange(state.upsert(route))
        expectChange(state.delete(route))
        expectNoChange(state.delete(route))
        expectChange(state.delete(address))
        expectNoChange(state.delete(address))
        expectChange(state.deleteLink(2))
        expectNoChange(state.deleteLink(2))
        #expect(state == RawState())
    }

    @Test func `a Wi-Fi device that seems the same may be in another network`() {
        var state = RawState.make(.make(2, "eth0"), .make(3, "wlan0"), facts: [3: .wifi])
        expectNoChange(state.apply(.link(.make(2, "eth0")), at: epoch))
        #expect(state.doubtfulFacts.isEmpty)
        expectChange(state.apply(.link(.make(3, "wlan0")), at: epoch))
        #expect(state.doubtfulFacts == [3] && state.deviceFacts[3] != nil, "known until they are read again")
        expectNoChange(state.apply(.link(.make(3, "wlan0")), at: epoch))
    }

    @Test func `counters alone are no change`() {
        var state = RawState()
        var link = Link.make(2, "eth0")
        _ = state.upsert(link, at: epoch)
        link.receivedBytes = 5
        link.transmittedBytes = 6
        expectNoChange(state.upsert(link, at: epoch))
        link.name = "lan0"
        expectChange(state.upsert(link, at: epoch))
    }

    @Test func `a link is usable since it became usable`() {
        var state = RawState()
        let later = epoch.advanced(by: .seconds(5))
        _ = state.upsert(.make(2, "eth0", .noCarrier), at: epoch)
        #expect(state.usableSince == [:])
        _ = state.upsert(.make(2, "eth0"), at: epoch)
        _ = state.upsert(.make(2, "lan0"), at: later)
        #expect(state.usableSince == [2: epoch])
        _ = state.upsert(.make(2, "lan0", .noCarrier), at: later)
        _ = state.upsert(.make(2, "lan0"), at: later)
        #expect(state.usableSince == [2: later])
    }

    @Test func `a link that is set down loses its IPv4 routes without a message, one without a carrier keeps them`() {
        let ipv4 = Route.make(over: 2)
        let ipv6 = Route.make(.ipv6, over: 2)
        var state = RawState.make(.make(2, "eth0"), routes: [ipv4, ipv6])
        _ = state.upsert(.make(2, "eth0", .noCarrier), at: epoch)
        #expect(state.defaultRoutes == [ipv4, ipv6])
        expectChange(state.upsert(.make(2, "eth0", .down), at: epoch))
        #expect(state.defaultRoutes == [ipv6])
    }

    @Test func `a multipath route goes with its last next hop`() {
        let route = Route.make(over: nil, hops: Self.hops)
        var state = RawState.make(.make(2, "eth0"), .make(3, "eth1"), routes: [route])
        _ = state.upsert(.make(2, "eth0", .down), at: epoch)
        #expect(state.defaultRoutes == [route])
        _ = state.upsert(.make(3, "eth1", .down), at: epoch)
        #expect(state.defaultRoutes.isEmpty)
    }

    @Test func `a deleted link takes everything along`() throws {
        var state = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth1"),
            addresses: [try .make(2, "192.0.2.10"), try .make(3, "192.0.2.11")],
            routes: [.make(over: 2), .make(.ipv6, over: 2), .make(over: 3)]
        )
        expectChange(state.deleteLink(2))
        #expect(state.links.keys.sorted() == [3])
        #expect(state.addresses.keys.map(\.interfaceIndex) == [3])
        #expect(state.defaultRoutes == [.make(over: 3)])
        #expect(state.deviceFacts.keys.sorted() == [3])
        #expect(state.usableSince.keys.sorted() == [3])
    }

    @Test func `the last IPv4 address takes the IPv4 routes along, as does the source of one`() throws {
        let first = try Address.make(2, "192.0.2.10")
        let second = try Address.make(2, "192.0.2.11")
        let ipv6 = Route.make(.ipv6, over: 2)
        let sourced = Route.make(over: 2, source: "192.0.2.10", metric: 5)
        var state = RawState.make(
            .make(2, "eth0"),
            addresses: [first, second, try .make(2, "2001:db8::1", length: 64)],
            routes: [.make(over: 2), sourced, ipv6]
        )
        expectChange(state.delete(first))
        #expect(state.defaultRoutes == [.make(over: 2), ipv6])
        expectChange(state.delete(second))
        #expect(state.defaultRoutes == [ipv6])
    }

    @Test func `an address whose preferred lifetime only counts down does not change, its end does`() throws {
        var state = RawState()
        _ = state.upsert(try Address.make(2, "2001:db8::1", preferred: 1800))
        expectNoChange(state.upsert(try Address.make(2, "2001:db8::1", preferred: 1799)))
        expectChange(state.upsert(try Address.make(2, "2001:db8::1", preferred: 0)))
        expectNoChange(state.upsert(try Address.make(2, "2001:db8::1", flags: 0x20, preferred: 0)))
        #expect(state.addresses.count == 1)
    }

    @Test func `only default routes outside of the local table are kept`() {
        var state = RawState()
        var specific = Route.make(over: 2)
        specific.destinationLength = 24
        var cloned = Route.make(over: 2)
        cloned.flags = 0x200
        expectNoChange(state.upsert(specific))
        expectNoChange(state.upsert(cloned))
        expectNoChange(state.upsert(.make(over: 2, table: 255)))
        expectNoChange(state.delete(specific))
        #expect(state == RawState())
    }

    @Test func `routes of other metrics, tables, families and routers stand side by side`() {
        let routes: [Route] = [
            .make(over: 2), .make(over: 2, metric: 5), .make(over: 2, table: 7), .make(.ipv6, over: 2),
            .make(over: 2, via: "192.0.2.1"), .make(over: 3),
        ]
        var state = RawState()
        for route in routes { expectChange(state.upsert(route)) }
        #expect(state.defaultRoutes == Set(routes))
    }

    @Test func `a route that grows into several next hops replaces its parts, and loses them one by one`() {
        var state = RawState()
        let parts = Self.hops.map { Route.make(.ipv6, over: nil, hops: [$0]) }
        let whole = Route.make(.ipv6, over: nil, hops: Self.hops)
        expectChange(state.upsert(parts[0]))
        expectChange(state.upsert(whole))
        #expect(state.defaultRoutes == [whole])
        expectChange(state.delete(parts[0]))
        #expect(state.defaultRoutes == [.make(.ipv6, over: nil, hops: [Self.hops[1]])])
        expectChange(state.delete(parts[1]))
        #expect(state.defaultRoutes.isEmpty)
    }

    @Test func `a route whose link goes down is the same route with another flag`() {
        var state = RawState.make(routes: [.make(over: 2)])
        var down = Route.make(over: 2)
        down.flags = 0x10
        expectChange(state.upsert(down))
        #expect(state.defaultRoutes == [down])
        expectChange(state.delete(.make(over: 2)))
    }

    @Test func `links of the first reading have no age, and no event gives them one`() {
        var state = RawState()
        let all: [Link] = [.loopback, .make(2, "eth0"), .make(3, "eth1", .noCarrier)]
        #expect(resynchronise(&state, links: all) == 3)
        #expect(state.usableSince == [:])
        expectChange(state.upsert(.make(2, "lan0"), at: epoch))
        #expect(state.usableSince == [:])
        #expect(state.path().unsatisfiedReason == .noRoute)
        // A later dump tells of what happened unseen.
        #expect(resynchronise(&state, links: [.loopback, .make(2, "lan0"), .make(3, "eth1")]) == 1)
        #expect(state.usableSince == [3: epoch])
    }

    private func resynchronise(_ state: inout RawState, links: [Link]) -> Int {
        state.resynchronise(links: links, addresses: [], routes: [], at: epoch)
    }

    @Test func `fresh dumps replace what was recorded and count what differed`() throws {
        let address = try Address.make(2, "192.0.2.10", preferred: 60)
        var state = RawState.make(
            .make(2, "eth0"),
            .make(3, "eth1"),
            addresses: [address],
            routes: [.make(over: 2), .make(over: 3)],
            upSince: epoch
        )
        let later = epoch.advanced(by: .seconds(9))
        let before = state
        let none = state.resynchronise(
            links: [.make(2, "eth0"), .make(3, "eth1")],
            addresses: [address],
            routes: [.make(over: 2), .make(over: 3), .make(over: 3, table: 255)],
            at: later
        )
        #expect(none == 0)
        #expect(state == before)

        // One link gone and one new, one address new, one route gone.
        let differences = state.resynchronise(
            links: [.make(2, "eth0"), .make(4, "eth2")],
            addresses: [address, try .make(4, "192.0.2.11")],
            routes: [.make(over: 2)],
            at: later
        )
        #expect(differences == 4)
        #expect(state.usableSince == [2: epoch, 4: later])
        #expect(state.deviceFacts.keys.sorted() == [2])
        #expect(state.lookups == before.lookups)
    }

    @Test func `the newest portal of each link is kept until the link goes down`() {
        func option(_ uri: String, type: UInt8 = 37, on index: Int32 = 7) -> RouteEvent {
            .ndUserOption(NeighbourOption(interfaceIndex: index, type: type, bytes: Array(uri.utf8) + [0, 0]))
        }
        let (up, other) = (Link.make(7, "eth0"), Link.make(8, "eth1"))
        var state = RawState.make(up, other)
        _ = state.apply(option("https://a/"), at: epoch)
        _ = state.apply(option("https://b/", on: 8), at: epoch)
        _ = state.apply(option("http://c/"), at: epoch)
        _ = state.apply(option("https://d/", type: 25), at: epoch)
        _ = state.apply(.link(up), at: epoch)
        #expect(state.portals == [7: "https://a/", 8: "https://b/"])
        // A reading of everything does not contain them.
        state.resynchronise(links: [up, other], addresses: [], routes: [], at: epoch)
        #expect(state.portals == [7: "https://a/", 8: "https://b/"])
        _ = state.apply(option("https://c/"), at: epoch)
        #expect(state.portals[7] == "https://c/")
        _ = state.apply(.link(.make(7, "eth0", .down)), at: epoch)
        _ = state.apply(.linkDeleted(index: 8), at: epoch)
        #expect(state.portals == [:])
        _ = state.apply(option("https://a/"), at: epoch)
        _ = state.apply(option("urn:ietf:params:capport:unrestricted"), at: epoch)
        #expect(state.portals == [:])
        _ = state.apply(option("https://a/"), at: epoch)
        state.resynchronise(links: [.make(7, "eth0", .down)], addresses: [], routes: [], at: epoch)
        #expect(state.portals == [:])
    }

    @Test func `the path names the portal of its own device, or of the one below it`() {
        var state = RawState.make(.make(2, "eth0"), .make(3, "eth1"), ipv4: .over(2))
        state.portals = [3: "https://elsewhere/"]
        #expect(state.path().captivePortal == nil)
        state.portals[2] = "https://here/"
        #expect(state.path().captivePortal == "https://here/")
        var tunnelled = RawState.make(.make(2, "eth0"), .tunnel(3), routes: [.make(over: 2)], ipv4: .over(3))
        tunnelled.portals = [2: "https://below/"]
        #expect(tunnelled.path().captivePortal == "https://below/")
    }
}

private func expectChange(_ changed: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(changed, sourceLocation: sourceLocation)
}

private func expectNoChange(_ changed: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!changed, sourceLocation: sourceLocation)
}
