import Netlink
import Posix

/// The result of the route lookup of one family.
struct FamilyVerdict: Equatable {
    var outcome: Outcome
    /// The device and router that the packets take, or would.
    var hop: RouteHop?
    /// The table of the route.
    var table: UInt32?
    /// The next hops of a multipath route; empty for a plain one.
    var nextHops: [RouteHop] = []
    /// The devices below that of `hop`.
    var underlay = Underlay()

    enum Outcome: Equatable {
        /// Packets can leave.
        case carries
        /// The link of the route, or one below its tunnel, cannot carry them.
        case linkDown(DownCause)
        /// The device of a tunnel is down, or nothing carries the packets of the tunnel.
        case tunnelDown(DownCause)
        /// A route refuses them.
        case denied
        /// There is a route, and no source address to use.
        case noSource
        /// No route.
        case noRoute
    }

    var carries: Bool { outcome == .carries }

    /// Whether there is a route, but its device is down.
    var isDown: Bool {
        switch outcome {
        case .linkDown, .tunnelDown: true
        case .carries, .denied, .noSource, .noRoute: false
        }
    }

    init(_ family: AddressFamily, in state: RawState) {
        switch state.lookups[family] {
        case .route(let route) where route.isUnicast: self.init(route, in: state)
        case .blackhole, .prohibited, .hostUnreachable: self.init(.denied)
        case .route, .unreachable, nil: self.init(unroutable: family, in: state)
        }
    }

    private init(_ outcome: Outcome, _ hop: RouteHop? = nil) { (self.outcome, self.hop) = (outcome, hop) }

    private init(_ route: Route, in state: RawState) {
        let nextHops = state.nextHops[route.family] ?? []
        guard let hop = Self.hop(of: route, nextHops, in: state), state.links[hop.interfaceIndex]?.isLoopback != true
        else {
            self.init(.noRoute)
            return
        }
        self.init(.carries, hop)
        table = route.table
        self.nextHops = nextHops
        underlay = UnderlayResolver(state: state).resolve(hop.interfaceIndex)
        outcome = outcome(of: hop, source: route.preferredSource, in: state)
    }

    private func outcome(of hop: RouteHop, source: IPAddress?, in state: RawState) -> Outcome {
        guard let link = state.links[hop.interfaceIndex] else { return .linkDown(.gone) }
        guard link.isUsable else { return Self.down(link, link.downCause, in: state) }
        if state.interfaceClass(of: link).isTunnel, case .unusable(let cause) = underlay.state {
            // A cable that is out below a tunnel is no fault of the tunnel.
            let below = underlay.chain.compactMap { state.links[$0] }.last { !$0.isUsable }
            return Self.down(below ?? link, cause, in: state)
        }
        guard let source, state.isUsableSource(source) else { return .noSource }
        return .carries
    }

    private static func down(_ link: Link, _ cause: DownCause, in state: RawState) -> Outcome {
        state.interfaceClass(of: link).isTunnel ? .tunnelDown(cause) : .linkDown(cause)
    }

    /// The next hop that the kernel named, or another one of the multipath route if that one is dead: other flows take it.
    private static func hop(of route: Route, _ nextHops: [RouteHop], in state: RawState) -> RouteHop? {
        guard let named = route.hops.first else { return nil }
        guard nextHops.count > 1, let same = nextHops.first(where: { $0.destination == named.destination }),
            !state.isUsable(same), let other = nextHops.first(where: state.isUsable)
        else { return named }
        return other
    }

    /// With `ignore_routes_with_linkdown` the kernel hides a route whose link has lost its carrier: the link is down.
    ///
    /// One that waits for its handshake (dormant) is a connection in progress instead.
    private init(unroutable family: AddressFamily, in state: RawState) {
        let hidden = state.defaultHops(preferring: family).first { entry in
            guard entry.family == family, let link = state.links[entry.hop.interfaceIndex] else { return false }
            return link.isUp && !link.isUsable && !link.isLoopback && !link.isDormant
        }
        guard let hop = hidden?.hop, let link = state.links[hop.interfaceIndex] else {
            self.init(.noRoute)
            return
        }
        self.init(Self.down(link, .carrier, in: state), hop)
        underlay = UnderlayResolver(state: state).resolve(link.index)
    }
}

extension RawState {
    /// One next hop of a default route.
    typealias DefaultHop = (family: AddressFamily, metric: UInt32, hop: RouteHop)

    /// The next hops of the recorded default routes that forward, in the order of preference: by family, metric and
    /// interface index.
    ///
    /// - Parameters:
    ///   - family: the family to put first.
    ///   - tables: the tables to read in addition to main, such as those that a lookup was answered from.
    /// - Returns: the next hops of all of them.
    func defaultHops(preferring family: AddressFamily, tables: Set<UInt32> = []) -> [DefaultHop] {
        defaultRoutes
            .filter { $0.isUnicast && ($0.table == Route.mainTable || tables.contains($0.table)) }
            .flatMap { route in route.hops.map { (route.family, route.metric, $0) } }
            .sorted { order($0, family) < order($1, family) }
    }

    /// The address decides last, so that the order never depends on the set's.
    private func order(_ entry: DefaultHop, _ family: AddressFamily) -> (Int, UInt32, Int32, String) {
        (
            entry.family == family ? 0 : 1, entry.metric, entry.hop.interfaceIndex,
            entry.hop.gateway?.description ?? ""
        )
    }
}
