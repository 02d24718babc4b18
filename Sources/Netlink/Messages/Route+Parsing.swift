import CLinux
import Posix

extension Route {
    /// The length of `struct rtmsg`.
    static let fixedPart = 12

    /// An entry of a table that someone configured: not the local table, not the cached copy of a lookup.
    package var isConfigured: Bool {
        table != UInt32(RT_TABLE_LOCAL.rawValue) && flags & UInt32(RTM_F_CLONED) == 0
    }

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

        var attributes = AttributeReader(after: Self.fixedPart, of: payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case Int(RTA_OIF.rawValue): interfaceIndex = try attribute.loadIndex(in: payload)
            case Int(RTA_GATEWAY.rawValue): gateway = try attribute.loadAddress(family, in: payload)
            case Int(RTA_VIA.rawValue): gateway = try attribute.loadVia(in: payload)
            case Int(RTA_PRIORITY.rawValue): metric = try attribute.load(UInt32.self, in: payload)
            case Int(RTA_PREFSRC.rawValue): preferredSource = try attribute.loadAddress(family, in: payload)
            case Int(RTA_TABLE.rawValue): table = try attribute.load(UInt32.self, in: payload)
            case Int(RTA_NH_ID.rawValue): nexthopID = try attribute.load(UInt32.self, in: payload)
            case Int(RTA_MULTIPATH.rawValue): legs = try Self.legs(attribute.payload, family, in: payload)
            default: break
            }
        }
    }

    /// RTA_MULTIPATH is an array of `struct rtnexthop`, each followed by attributes of its own.
    private static func legs(
        _ range: Range<Int>,
        _ family: AddressFamily,
        in payload: RawSpan
    ) throws(NetlinkError) -> [RouteLeg] {
        let headerLength = 8
        var legs: [RouteLeg] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard range.upperBound - offset >= headerLength else { throw .truncated(what: "next hop", offset: offset) }
            let length = Int(try payload.load(UInt16.self, at: offset, of: "next hop"))
            guard length >= headerLength else { throw .malformed(what: "next hop length", offset: offset) }
            guard length <= range.upperBound - offset else { throw .truncated(what: "next hop", offset: offset) }
            let index = try payload.load(Int32.self, at: offset + 4, of: "next hop")
            guard index >= 0 else { throw .malformed(what: "next hop index", offset: offset + 4) }
            var leg = RouteLeg(interfaceIndex: index)
            leg.flags = try payload.load(UInt8.self, at: offset + 2, of: "next hop")
            var attributes = AttributeReader(offset + headerLength..<offset + length)
            while let attribute = try attributes.next(in: payload) {
                switch attribute.type {
                case Int(RTA_GATEWAY.rawValue): leg.gateway = try attribute.loadAddress(family, in: payload)
                case Int(RTA_VIA.rawValue): leg.gateway = try attribute.loadVia(in: payload)
                default: break
                }
            }
            legs.append(leg)
            offset += aligned(length)
        }
        return legs
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
