import CLinux
import Glibc
package import Posix

/// Requests to rtnetlink.
extension RequestSocket {
    /// All devices.
    ///
    /// Without the IPv6 statistics, a quarter of the bytes; with the device's own.
    package mutating func links() throws(NetlinkError) -> Dump<Link> {
        var request = Request(type: RTM_GETLINK, flags: NLM_F_ROOT | NLM_F_MATCH)
        request.appendLink(index: 0)
        request.append(attribute: IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        return try dump(request) { (message, payload) throws(NetlinkError) in
            guard message.type == RTM_NEWLINK else { throw .unexpected(type: message.type) }
            return try Link(parsing: payload)
        }
    }

    /// One device with its statistics; nil if there is none with this index.
    package mutating func linkStatistics(index: Int32) throws(NetlinkError) -> Link? {
        var request = Request(type: RTM_GETLINK)
        request.appendLink(index: index)
        var link: Link?
        do {
            _ = try perform(request) { (message, payload) throws(NetlinkError) in
                guard message.type == RTM_NEWLINK else { throw .unexpected(type: message.type) }
                link = try Link(parsing: payload)
            }
        } catch .kernel(ENODEV, _) {
            return nil
        }
        return link
    }

    /// All addresses of both families.
    package mutating func addresses() throws(NetlinkError) -> Dump<Address> {
        var request = Request(type: RTM_GETADDR, flags: NLM_F_ROOT | NLM_F_MATCH)
        request.append(UInt32(0))  // struct ifaddrmsg: AF_UNSPEC is every family
        request.append(UInt32(0))
        return try dump(request) { (message, payload) throws(NetlinkError) in
            guard message.type == RTM_NEWADDR else { throw .unexpected(type: message.type) }
            return try Address(parsing: payload)
        }
    }

    /// The default routes of all tables, of every kind, and the halves of such.
    ///
    /// The kernel cannot select them, so that it sends the whole table; no other entry is parsed.
    package mutating func defaultRoutes(family: AddressFamily) throws(NetlinkError) -> Dump<Route> {
        var request = Request(type: RTM_GETROUTE, flags: NLM_F_ROOT | NLM_F_MATCH)
        request.appendRoute(family, destinationLength: 0, flags: 0)
        return try dump(request) { (message, payload) throws(NetlinkError) in
            guard message.type == RTM_NEWROUTE else { throw .unexpected(type: message.type) }
            guard try payload.load(UInt8.self, at: 1, of: "route") <= 1 else { return nil }
            guard let route = try Route(parsing: payload), route.isConfigured else { return nil }
            return route
        }
    }

    /// Where the kernel would send a packet, down to the one next hop of a multipath route; none is sent.
    ///
    /// `mark`, `interfaceIndex`, `source` and `uid` are as if a socket had the mark, were bound to the device and to the
    /// address, belonged to the user.
    package mutating func lookup(
        _ destination: IPAddress,
        mark: UInt32? = nil,
        interfaceIndex: Int32? = nil,
        source: IPAddress? = nil,
        uid: UInt32? = nil
    ) throws(NetlinkError) -> RouteLookup {
        try lookup(destination, flags: 0, mark, interfaceIndex, source, uid)
    }

    /// The entry of the routing table that `lookup` would match, with its metric and all its next hops.
    package mutating func lookupEntry(
        _ destination: IPAddress,
        mark: UInt32? = nil,
        interfaceIndex: Int32? = nil,
        source: IPAddress? = nil,
        uid: UInt32? = nil
    ) throws(NetlinkError) -> RouteLookup {
        try lookup(destination, flags: UInt32(RTM_F_FIB_MATCH), mark, interfaceIndex, source, uid)
    }

    private mutating func lookup(
        _ destination: IPAddress,
        flags: UInt32,
        _ mark: UInt32?,
        _ interfaceIndex: Int32?,
        _ source: IPAddress?,
        _ uid: UInt32?
    ) throws(NetlinkError) -> RouteLookup {
        let family = destination.family
        var request = Request(type: RTM_GETROUTE)
        // IPv4 names the table of the answer only on request; IPv6 always does, and refuses the flag.
        let table = family == .ipv4 ? UInt32(RTM_F_LOOKUP_TABLE) : 0
        request.appendRoute(
            family,
            destinationLength: family.addressBits,
            sourceLength: source == nil ? 0 : family.addressBits,
            flags: flags | table
        )
        request.append(attribute: Int(RTA_DST.rawValue), destination.bytes)
        if let source { request.append(attribute: Int(RTA_SRC.rawValue), source.bytes) }
        if let mark { request.append(attribute: Int(RTA_MARK.rawValue), mark) }
        if let interfaceIndex {
            request.append(attribute: Int(RTA_OIF.rawValue), UInt32(bitPattern: interfaceIndex))
        }
        if let uid { request.append(attribute: Int(RTA_UID.rawValue), uid) }
        var route: Route?
        do {
            _ = try perform(request) { (message, payload) throws(NetlinkError) in
                guard message.type == RTM_NEWROUTE else { throw .unexpected(type: message.type) }
                route = try Route(parsing: payload)
            }
        } catch .kernel(let errno, let text) {
            guard let refusal = RouteLookup(errno: errno, text: text) else { throw .kernel(errno: errno, text: text) }
            return refusal
        }
        guard let route else { throw .malformed(what: "answer to a lookup", offset: 0) }
        return RouteLookup(route)
    }
}

extension Request {
    /// `struct ifinfomsg`.
    fileprivate mutating func appendLink(index: Int32) {
        append(UInt32(0))  // AF_UNSPEC, padding, type
        append(index)
        append(UInt32(0))
        append(UInt32(0))
    }

    /// `struct rtmsg`.
    fileprivate mutating func appendRoute(
        _ family: AddressFamily,
        destinationLength: UInt8,
        sourceLength: UInt8 = 0,
        flags: UInt32
    ) {
        append(UInt8(truncatingIfNeeded: family.number))
        append(destinationLength)
        append(sourceLength)
        append(UInt8(0))  // TOS
        append(UInt32(0))  // table, protocol, scope and type: any
        append(flags)
    }
}

/// Where the kernel would send a packet.
package enum RouteLookup: Sendable, Hashable {
    case route(Route)
    /// No route matches (ENETUNREACH).
    case unreachable
    /// A blackhole route (EINVAL): packets vanish.
    case blackhole
    /// A prohibit route or rule (EACCES).
    case prohibited
    /// An unreachable route (EHOSTUNREACH).
    case hostUnreachable

    /// From a route in the answer: IPv6 answers with the refusing route where IPv4 answers with an errno.
    init(_ route: Route) {
        switch Int(route.kind) {
        case RTN_BLACKHOLE: self = .blackhole
        case RTN_UNREACHABLE: self = .hostUnreachable
        case RTN_PROHIBIT: self = .prohibited
        case RTN_THROW: self = .unreachable
        default: self = .route(route)
        }
    }

    /// From an errno in the answer; nil where it means something else than a missing or refusing route.
    ///
    /// EINVAL is a blackhole only without a text: the kernel explains why it refuses an invalid request.
    init?(errno: Int32, text: String?) {
        switch errno {
        case ENETUNREACH: self = .unreachable
        case EHOSTUNREACH: self = .hostUnreachable
        case EACCES: self = .prohibited
        case EINVAL where text == nil: self = .blackhole
        default: return nil
        }
    }
}
