import Netlink
import Posix

/// Where a route leads: a device, and the router on it unless the destination is on the link.
struct RouteHop: Hashable, Sendable {
    let interfaceIndex: Int32
    let gateway: IPAddress?

    init(_ interfaceIndex: Int32, _ gateway: IPAddress?) {
        self.interfaceIndex = interfaceIndex
        self.gateway = gateway
    }
}

extension Route {
    /// The main table (RT_TABLE_MAIN).
    static let mainTable: UInt32 = 254

    /// All the places it leads to: one for a plain route, each leg of a multipath route.
    var hops: [RouteHop] {
        legs.isEmpty
            ? interfaceIndex.map { [RouteHop($0, gateway)] } ?? []
            : legs.map { RouteHop($0.interfaceIndex, $0.gateway) }
    }

    /// A default route that counts: not local (RT_TABLE_LOCAL), not a clone of the cache (RTM_F_CLONED).
    var isDefault: Bool { destinationLength == 0 && table != 255 && flags & 0x200 == 0 }

    /// Whether it forwards at all (RTN_UNICAST); blackholes and their like do not.
    var isUnicast: Bool { kind == 1 }

    /// Whether both stand at the same place of the same table, where one replaces the other.
    func hasRank(of other: Route) -> Bool {
        family == other.family && table == other.table && metric == other.metric && kind == other.kind
    }
}
