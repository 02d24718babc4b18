import CLinux
package import Posix

/// A route as RTM_NEWROUTE describes it, in a dump, an event or the answer to a lookup (rtnetlink(7)).
package struct Route: Sendable, Hashable {
    /// The main table (RT_TABLE_MAIN).
    package static let mainTable: UInt32 = 254

    package var family: AddressFamily
    /// `RTA_TABLE`, else `rtm_table`: 254 main, 255 local.
    package var table = mainTable
    /// `RTN_…`: 1 unicast, 2 local, 6 blackhole, 7 unreachable, 8 prohibit, 9 throw.
    package var kind: UInt8 = 1
    /// `RTPROT_…`: 2 kernel, 3 boot, 4 static, 9 router advertisement, 16 DHCP.
    package var origin: UInt8 = 0
    /// Prefix length of the destination; 0 is a default route.
    package var destinationLength: UInt8 = 0
    /// Of a destination of one bit, whether it is the upper half of all addresses (`128.0.0.0/1`).
    package var isUpperHalf = false
    /// `RTNH_F_…` and `RTM_F_…` bits; 0x10 means the link is down.
    package var flags: UInt32 = 0
    /// `RTA_PRIORITY`: the lower wins; absent is 0.
    package var metric: UInt32 = 0
    /// `RTA_PREFSRC`: the source address that the kernel would choose.
    package var preferredSource: IPAddress?
    /// `RTA_NH_ID`.
    package var nexthopID: UInt32?
    /// The next hops: one of a plain route, several of a multipath route, none where the route refuses traffic.
    package var hops: [RouteHop] = []

    package init(family: AddressFamily) { self.family = family }

    /// An entry of a table that someone configured: not the local table, not the cached copy of a lookup.
    package var isConfigured: Bool {
        table != UInt32(RT_TABLE_LOCAL.rawValue) && flags & UInt32(RTM_F_CLONED) == 0
    }

    /// A configured default route.
    package var isDefault: Bool { destinationLength == 0 && isConfigured }

    /// One half of a default route: some VPN clients leave the default route in place and cover it by two longer ones.
    package var isHalf: Bool { destinationLength == 1 && isConfigured }

    /// Whether it forwards packets (RTN_UNICAST).
    package var isUnicast: Bool { Int(kind) == RTN_UNICAST }

    /// Whether both have the same place in the same table, where one replaces the other.
    package func hasRank(of other: Route) -> Bool {
        family == other.family && table == other.table && metric == other.metric && kind == other.kind
    }
}

/// One next hop of a route: a device, and the router on it unless the destination is on the link.
package struct RouteHop: Sendable, Hashable {
    /// `RTA_OIF`, or `rtnh_ifindex`.
    package var interfaceIndex: Int32
    /// `RTA_GATEWAY`, or the address in `RTA_VIA` (an IPv6 gateway of an IPv4 route).
    package var gateway: IPAddress?
    /// For a next hop of a multipath route `RTNH_F_…`: 1 dead, 0x10 link down.
    ///
    /// A plain route has them in its own flags.
    package var flags: UInt8 = 0

    package init(_ interfaceIndex: Int32, via gateway: IPAddress? = nil) {
        (self.interfaceIndex, self.gateway) = (interfaceIndex, gateway)
    }

    /// Without the flags: where it leads.
    package var destination: RouteHop { RouteHop(interfaceIndex, via: gateway) }
}

extension Route {
    /// The length of `struct rtmsg`.
    static let fixedPart = 12

    /// Reads the payload of RTM_NEWROUTE or RTM_DELROUTE; offsets in errors count from its start.
    ///
    /// Nil for a family that is neither IPv4 nor IPv6 (multicast routing, MPLS).
    package init?(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= Self.fixedPart else { throw .truncated(what: "route", offset: payload.byteCount) }
        let number = try payload.load(UInt8.self, at: 0, of: "route")
        guard let family = AddressFamily(number: Int32(number)) else { return nil }
        self.init(family: family)
        destinationLength = try payload.load(UInt8.self, at: 1, of: "route")
        guard destinationLength <= family.addressBits else { throw .malformed(what: "prefix length", offset: 1) }
        table = UInt32(try payload.load(UInt8.self, at: 4, of: "route"))
        origin = try payload.load(UInt8.self, at: 5, of: "route")
        kind = try payload.load(UInt8.self, at: 7, of: "route")
        flags = try payload.load(UInt32.self, at: 8, of: "route")

        var interfaceIndex: Int32?
        var gateway: IPAddress?
        var attributes = AttributeReader(after: Self.fixedPart, of: payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case Int(RTA_DST.rawValue) where destinationLength == 1:
                isUpperHalf = try attribute.loadAddress(family, in: payload).bytes[0] & 0x80 != 0
            case Int(RTA_OIF.rawValue): interfaceIndex = try attribute.loadIndex(in: payload)
            case Int(RTA_GATEWAY.rawValue): gateway = try attribute.loadAddress(family, in: payload)
            case Int(RTA_VIA.rawValue): gateway = try attribute.loadVia(in: payload)
            case Int(RTA_PRIORITY.rawValue): metric = try attribute.load(UInt32.self, in: payload)
            case Int(RTA_PREFSRC.rawValue): preferredSource = try attribute.loadAddress(family, in: payload)
            case Int(RTA_TABLE.rawValue): table = try attribute.load(UInt32.self, in: payload)
            case Int(RTA_NH_ID.rawValue): nexthopID = try attribute.load(UInt32.self, in: payload)
            case Int(RTA_MULTIPATH.rawValue): hops = try Self.hops(attribute.payload, family, in: payload)
            default: break
            }
        }
        if let interfaceIndex { hops = [RouteHop(interfaceIndex, via: gateway)] }
    }

    /// RTA_MULTIPATH is an array of `struct rtnexthop`, each followed by attributes of its own.
    private static func hops(
        _ range: Range<Int>,
        _ family: AddressFamily,
        in payload: RawSpan
    ) throws(NetlinkError) -> [RouteHop] {
        let headerLength = 8
        var hops: [RouteHop] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard range.upperBound - offset >= headerLength else { throw .truncated(what: "next hop", offset: offset) }
            let length = Int(try payload.load(UInt16.self, at: offset, of: "next hop"))
            guard length >= headerLength else { throw .malformed(what: "next hop length", offset: offset) }
            guard length <= range.upperBound - offset else { throw .truncated(what: "next hop", offset: offset) }
            let index = try payload.load(Int32.self, at: offset + 4, of: "next hop")
            guard index >= 0 else { throw .malformed(what: "next hop index", offset: offset + 4) }
            var hop = RouteHop(index)
            hop.flags = try payload.load(UInt8.self, at: offset + 2, of: "next hop")
            var attributes = AttributeReader(offset + headerLength..<offset + length)
            while let attribute = try attributes.next(in: payload) {
                switch attribute.type {
                case Int(RTA_GATEWAY.rawValue): hop.gateway = try attribute.loadAddress(family, in: payload)
                case Int(RTA_VIA.rawValue): hop.gateway = try attribute.loadVia(in: payload)
                default: break
                }
            }
            hops.append(hop)
            offset += aligned(length)
        }
        return hops
    }
}

extension Attribute {
    /// `struct rtvia`: a family of two bytes, then the address; nil for a family that is neither IPv4 nor IPv6.
    fileprivate func loadVia(in bytes: RawSpan) throws(NetlinkError) -> IPAddress? {
        let number = try load(UInt16.self, in: bytes)
        guard let family = AddressFamily(number: Int32(number)) else { return nil }
        let address = Attribute(type: type, payload: payload.lowerBound + 2..<payload.upperBound)
        return try address.loadAddress(family, in: bytes)
    }
}
