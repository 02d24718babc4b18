import Netlink
import Posix

/// The recorded default routes as a list of places to go, in the order of preference.
struct DefaultRoutes {
    private let state: RawState
    private let tables: Set<UInt32>

    /// Those of table main, and of the further tables that a lookup was answered from.
    init(_ state: RawState, tables: Set<UInt32> = []) {
        self.state = state
        self.tables = tables.union([Route.mainTable])
    }

    /// One next hop of a default route.
    struct Entry {
        let family: AddressFamily
        let metric: UInt32
        let hop: RouteHop
    }

    /// All of them, by family, metric and interface index; routes that refuse are none.
    func entries(preferring family: AddressFamily) -> [Entry] {
        state.defaultRoutes
            .filter { $0.isUnicast && tables.contains($0.table) }
            .flatMap { route in
                route.hops.map { Entry(family: route.family, metric: route.metric, hop: $0) }
            }
            .sorted { order($0, family) < order($1, family) }
    }

    /// Those over a usable link.
    func usable(preferring family: AddressFamily) -> [Entry] {
        entries(preferring: family).filter { state.links[$0.hop.interfaceIndex]?.isUsable == true }
    }

    /// The address decides last, so that the order never depends on the set's.
    private func order(_ entry: Entry, _ family: AddressFamily) -> (Int, UInt32, Int32, String) {
        (
            entry.family == family ? 0 : 1, entry.metric, entry.hop.interfaceIndex,
            entry.hop.gateway?.description ?? ""
        )
    }
}
