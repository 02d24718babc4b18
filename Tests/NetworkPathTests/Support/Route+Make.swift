import Netlink
import Posix
import Testing

extension Route {
    /// A default route, or the answer to a lookup; the source address is usable unless told otherwise.
    static func make(
        _ family: AddressFamily = .ipv4,
        over index: Int32?,
        via gateway: String? = nil,
        source: String? = nil,
        metric: UInt32 = 0,
        table: UInt32 = 254,
        kind: UInt8 = 1,
        hops: [RouteHop] = []
    ) -> Route {
        var route = Route(family: family)
        route.hops = index.map { [.make($0, via: gateway)] } ?? hops
        route.preferredSource = source.flatMap { IPAddress($0) }
        route.metric = metric
        route.table = table
        route.kind = kind
        return route
    }
}

extension RouteLookup {
    /// The answer to a lookup, with a usable source address unless told otherwise.
    static func over(
        _ index: Int32?,
        via gateway: String? = nil,
        source: String? = "192.0.2.10",
        table: UInt32 = 254,
        kind: UInt8 = 1
    ) -> RouteLookup {
        .route(.make(over: index, via: gateway, source: source, table: table, kind: kind))
    }

    /// The same for IPv6.
    static func over6(_ index: Int32, via gateway: String? = nil, source: String? = "2001:db8::10") -> RouteLookup {
        .route(.make(.ipv6, over: index, via: gateway, source: source))
    }
}

extension RouteHop {
    static func make(_ index: Int32, via gateway: String? = nil, flags: UInt8 = 0) -> RouteHop {
        var hop = RouteHop(index, via: gateway.flatMap { IPAddress($0) })
        hop.flags = flags
        return hop
    }
}

extension Address {
    static func make(
        _ index: Int32,
        _ text: String,
        length: UInt8 = 24,
        flags: UInt32 = 0,
        scope: UInt8 = 0,
        preferred: UInt32? = nil
    ) throws -> Address {
        var address = Address(
            interfaceIndex: index,
            address: try #require(IPAddress(text)),
            prefixLength: length
        )
        address.flags = flags
        address.scope = scope
        address.preferredLifetime = preferred
        return address
    }
}
