import Netlink
import Posix

/// What the route lookup of one family amounts to.
struct FamilyVerdict: Equatable {
    var outcome: Outcome
    /// The device and router that the packets take, or would.
    var hop: RouteHop?
    /// The table that the answer came from.
    var table: UInt32?
    /// Whether each next hop of a multipath route is usable; empty for a plain one.
    var legs: [Evaluation.Leg] = []
    /// What stands below the device.
    var underlay = Underlay()

    enum Outcome: Equatable {
        /// Packets can leave.
        case carries
        /// The link of the route cannot carry them.
        case linkDown(DownCause)
        /// The tunnel of the route has nothing behind or below it.
        case tunnelDown(DownCause)
        /// A route refuses them.
        case denied
        /// There is a route, and no source address to use.
        case noSource
        /// No route.
        case noRoute
    }

    var carries: Bool { outcome == .carries }

    /// Whether there is a route, but its device is the trouble.
    var isDown: Bool {
        switch outcome {
        case .linkDown, .tunnelDown: true
        case .carries, .denied, .noSource, .noRoute: false
        }
    }
}

extension FamilyVerdict {
    init(_ family: AddressFamily, in state: RawState) {
        switch state.lookups[family] {
        case .route(let route) where route.isUnicast:
            self.init(route, in: state)
        case .route(let route) where [6, 7, 8].contains(route.kind):
            self.init(outcome: .denied)
        case .blackhole, .prohibited, .hostUnreachable:
            self.init(outcome: .denied)
        default:
            self.init(unroutable: family, in: state)
        }
    }

    private init(_ route: Route, in state: RawState) {
        let legs = state.legs[route.family] ?? []
        guard let hop = Self.hop(of: route, legs: legs, in: state),
            state.links[hop.interfaceIndex]?.isLoopback != true
        else {
            self.init(outcome: .noRoute)
            return
        }
        self.init(outcome: .carries, hop: hop, table: route.table)
        self.legs = legs.map { leg in
            let gateway = leg.gateway.map { state.text(of: $0, on: leg.interfaceIndex) }
            return Evaluation.Leg(
                interfaceName: state.links[leg.interfaceIndex]?.name,
                gateway: gateway,
                isUsable: state.isUsable(leg)
            )
        }
        underlay = UnderlayResolver(state: state).resolve(hop.interfaceIndex)
        outcome = outcome(of: hop, source: route.preferredSource, in: state)
    }

    private func outcome(of hop: RouteHop, source: IPAddress?, in state: RawState) -> Outcome {
        guard let link = state.links[hop.interfaceIndex] else { return .linkDown(.gone) }
        let isTunnel = state.interfaceClass(of: link).isTunnel
        guard link.isUsable else { return isTunnel ? .tunnelDown(link.downCause) : .linkDown(link.downCause) }
        if isTunnel, case .unusable(let cause) = underlay.state { return .tunnelDown(cause) }
        guard let source, state.isUsableSource(source) else { return .noSource }
        return .carries
    }

    /// The next hop that the kernel named, or another leg of the multipath route if that one is dead.
    ///
    /// Other flows take it.
    private static func hop(of route: Route, legs: [RouteLeg], in state: RawState) -> RouteHop? {
        guard let index = route.interfaceIndex else { return nil }
        let named = RouteHop(index, route.gateway)
        guard legs.count > 1,
            let leg = legs.first(where: { $0.interfaceIndex == index && $0.gateway == route.gateway }),
            !state.isUsable(leg), let other = legs.first(where: state.isUsable)
        else { return named }
        return RouteHop(other.interfaceIndex, other.gateway)
    }

    /// With `ignore_routes_with_linkdown` the kernel hides a route whose link has lost its carrier: the link is down.
    ///
    /// One that waits for its handshake (dormant) is a connection in the making instead.
    private init(unroutable family: AddressFamily, in state: RawState) {
        let hidden = DefaultRoutes(state).entries(preferring: family).first { entry in
            guard entry.family == family, let link = state.links[entry.hop.interfaceIndex] else { return false }
            return link.isUp && !link.isUsable && !link.isLoopback && !link.isDormant
        }
        guard let hidden, let link = state.links[hidden.hop.interfaceIndex] else {
            self.init(outcome: .noRoute)
            return
        }
        let isTunnel = state.interfaceClass(of: link).isTunnel
        self.init(outcome: isTunnel ? .tunnelDown(.carrier) : .linkDown(.carrier), hop: hidden.hop)
        underlay = UnderlayResolver(state: state).resolve(link.index)
    }
}

extension RawState {
    /// Neither dead nor without carrier (RTNH_F_DEAD, RTNH_F_LINKDOWN), and over a usable link.
    func isUsable(_ leg: RouteLeg) -> Bool {
        leg.flags & 0x11 == 0 && links[leg.interfaceIndex]?.isUsable == true
    }

    /// An address for people and sockets: a link-local one means nothing without its zone.
    func text(of address: IPAddress, on index: Int32) -> String {
        guard address.family == .ipv6, address.isLinkLocal, let link = links[index] else { return "\(address)" }
        return "\(address)%\(link.name)"
    }
}
