import CLinux
import Lab
import Netlink
import Posix
import Testing

struct RouteTests {
    private static func routes(_ fixture: RecordedNetlink) throws -> [Route] {
        try fixture.datagrams().flatMap { try Parse.messages($0) }
            .filter { $0.message.type == RTM_NEWROUTE }.compactMap { try Parse.route($0.payload) }
    }

    @Test func `reads recorded IPv4 routes`() throws {
        let defaults = try Self.routes(.routes4).filter { $0.destinationLength == 0 }
        let byMetric = Dictionary(uniqueKeysWithValues: defaults.map { ($0.metric, $0) })
        #expect(Set(byMetric.keys) == [0, 100, 200, 300, 400])

        let dhcp = try #require(byMetric[100])
        #expect(dhcp.table == 254 && dhcp.kind == 1 && dhcp.origin == 16 && dhcp.hops.map(\.interfaceIndex) == [10])
        #expect(
            dhcp.hops.first?.gateway == IPAddress("198.18.0.254") && dhcp.preferredSource == IPAddress("198.18.0.1")
        )
        // Table 51820 does not fit the header's byte, which says 252 then.
        #expect(byMetric[0]?.table == 51820)
        #expect(byMetric[200]?.hops.first?.gateway == IPAddress("2001:db8::fe"))
        #expect(byMetric[400]?.nexthopID == 7)
        #expect(
            byMetric[300]?.hops.map { "\($0.interfaceIndex) \($0.gateway?.description ?? "")" } == [
                "10 198.18.0.252", "10 198.18.0.251",
            ]
        )
        #expect(try Self.routes(.routes4).contains { $0.kind == 6 && $0.destinationLength == 24 })
        #expect(try Self.routes(.routes4).contains { !$0.isConfigured })
    }

    @Test func `reads recorded IPv6 routes`() throws {
        let routes = try Self.routes(.routes6)
        let announced = routes.first { $0.origin == 9 }
        #expect(announced?.destinationLength == 0 && announced?.metric == 1024)
        #expect(announced?.hops.first?.gateway == IPAddress("2001:db8::fe") && announced?.family == .ipv6)
        #expect(
            routes.first { $0.metric == 2048 }?.hops.map(\.gateway) == [
                IPAddress("2001:db8::fd"), IPAddress("2001:db8::fc"),
            ]
        )
        #expect(routes.contains { $0.kind == 7 && $0.destinationLength == 48 })
    }

    @Test func `reads the flags of a next hop and its gateway of the other family`() throws {
        let via = Build.attribute(Int(RTA_VIA.rawValue), [10, 0] + [UInt8](repeating: 1, count: 16))
        let hop = Build.integer(UInt16(8 + via.count)) + [0x11, 0] + Build.integer(Int32(4)) + via
        let route = try Parse.route(Build.route(Build.attribute(Int(RTA_MULTIPATH.rawValue), hop + hop)))
        var expected = RouteHop(4, via: IPAddress(bytes: [UInt8](repeating: 1, count: 16)))
        expected.flags = 0x11
        #expect(route?.hops == [expected, expected])
    }

    @Test(arguments: [
        (Build.route(table: 255), false), (Build.route(flags: 0x200), false), (Build.route(), true),
        (Build.route(table: 252, Build.attribute(15, Build.integer(UInt32(51820)))), true),
        (Build.route(table: 0, Build.attribute(15, Build.integer(UInt32(255)))), false),
    ])
    func `distinguishes configured routes from the kernel's own`(payload: [UInt8], isConfigured: Bool) throws {
        #expect(try Parse.route(payload)?.isConfigured == isConfigured)
    }

    @Test(arguments: [UInt8(128), 129, 28])
    func `ignores another family`(family: UInt8) throws {
        #expect(try Parse.route(Build.route(family: family)) == nil)
    }

    @Test(arguments: [
        (Array(Build.route().dropLast()), NetlinkError.truncated(what: "route", offset: 11)),
        (Build.route(prefix: 33), .malformed(what: "prefix length", offset: 1)),
        (Build.route(Build.attribute(5, [1, 2])), .malformed(what: "attribute 5, an address", offset: 16)),
        (Build.route(Build.attribute(6, [1, 2])), .truncated(what: "attribute 6", offset: 16)),
        (Build.route(Build.attribute(18, [2])), .truncated(what: "attribute 18", offset: 16)),
        (Build.route(Build.attribute(18, [2, 0, 1])), .malformed(what: "attribute 18, an address", offset: 18)),
        (Build.route(Build.attribute(9, [8, 0, 0, 0])), .truncated(what: "next hop", offset: 16)),
        (Build.route(Build.attribute(9, [7, 0, 0, 0, 1, 0, 0, 0])), .malformed(what: "next hop length", offset: 16)),
        (Build.route(Build.attribute(9, [0, 0, 0, 0, 1, 0, 0, 0])), .malformed(what: "next hop length", offset: 16)),
        (Build.route(Build.attribute(9, [9, 0, 0, 0, 1, 0, 0, 0])), .truncated(what: "next hop", offset: 16)),
        (
            Build.route(Build.attribute(9, [12, 0, 0, 0, 1, 0, 0, 0, 9, 0, 5, 0])),
            .truncated(what: "attribute", offset: 24)
        ),
        (
            Build.route(Build.attribute(9, [8, 0, 0, 0, 0, 0, 0, 0x80])),
            .malformed(what: "next hop index", offset: 20)
        ),
    ])
    func `refuses what contradicts itself`(payload: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.route(payload) }
    }
}
