import Netlink
import Posix

/// Finds the ways out of this host: pure, but for the kernel's answers.
///
/// A route in a table says little: which rule leads to the table, and whether an answer is let in, only the kernel knows.
struct WayOutSurvey {
    /// More of them are not reported; the rules of the configuration choose among these.
    static let limit = 32
    /// The addresses of one device that are tried as the source.
    private static let maxSources = 4

    /// A lookup in the kernel's routing tables, as for a socket with these properties.
    struct Question: Hashable {
        var destination: IPAddress
        /// nil: not bound.
        var device: Int32?
        var source: IPAddress?
        /// Whether the entry of the table is wanted: without one, IPv4 answers that the destination is on the link.
        var isEntry = true
    }

    let state: RawState
    let policy: PathPolicy
    /// The kernel's answer; nil: none.
    let answers: [Question: RouteLookup]
    /// The devices whose reverse path filter is strict.
    let strictDevices: Set<Int32>

    /// Where default routes lead: a device, and its routers by family, the preferred ones first.
    struct Candidate: Equatable {
        var index: Int32
        var routers: [AddressFamily: [IPAddress?]] = [:]
    }

    // MARK: Candidates

    /// Finds where default routes lead.
    ///
    /// - Parameters:
    ///   - state: what the kernel has reported.
    ///   - seen: the devices that have had a default route.
    /// - Returns: each device with a default route in any table, in the order of preference, IPv4 first; then those that are switched on
    ///   and have lost theirs.
    static func candidates(in state: RawState, seen: inout Set<Int32>) -> [Candidate] {
        var candidates: [Candidate] = []
        for (family, hop) in hops(in: state) {
            guard let link = state.links[hop.interfaceIndex], !link.isLoopback else { continue }
            let index = candidates.firstIndex { $0.index == link.index } ?? candidates.endIndex
            if index == candidates.endIndex { candidates.append(Candidate(index: link.index)) }
            if !candidates[index].routers[family, default: []].contains(hop.gateway) {
                candidates[index].routers[family, default: []].append(hop.gateway)
            }
        }
        let lost = seen.subtracting(candidates.map(\.index)).filter { state.links[$0]?.isUp == true }
        candidates = Array((candidates + lost.sorted().map { Candidate(index: $0) }).prefix(limit))
        // A deleted device does not come back with its index.
        seen = seen.filter { state.links[$0] != nil }.union(candidates.map(\.index))
        return candidates
    }

    /// The next hops of all default routes, those of main first.
    private static func hops(in state: RawState) -> [(family: AddressFamily, hop: RouteHop)] {
        let routes = state.defaultRoutes.union(halves(in: state)).filter(\.isUnicast)
        func order(_ route: Route) -> (Int, Int, UInt32, UInt32) {
            (route.family == .ipv4 ? 0 : 1, route.table == Route.mainTable ? 0 : 1, route.table, route.metric)
        }
        return routes.sorted { order($0) < order($1) }.flatMap { route in
            // The set has no order.
            route.hops.sorted { ($0.interfaceIndex, "\($0)") < ($1.interfaceIndex, "\($1)") }.map { (route.family, $0) }
        }
    }

    /// The halves whose other half leads to the same place: `0.0.0.0/1` and `128.0.0.0/1` are a default route.
    private static func halves(in state: RawState) -> Set<Route> {
        state.halfRoutes.filter { half in
            !half.isUpperHalf
                && state.halfRoutes.contains { $0.isUpperHalf && $0.hasRank(of: half) && $0.hops == half.hops }
        }
    }

    // MARK: Questions

    /// What the kernel has to be asked about a candidate.
    static func questions(about candidate: Candidate, in state: RawState, _ policy: PathPolicy) -> [Question] {
        candidate.routers.keys.flatMap { family -> [Question] in
            guard let destination = policy.destination(family) else { return [] }
            let sources = sources(of: candidate.index, family, in: state)
            return [Question(destination: destination, device: candidate.index, isEntry: false)]
                + ([nil] + sources).map { Question(destination: destination, device: candidate.index, source: $0) }
                + sources.map { Question(destination: destination, source: $0) }
        }
    }

    private static func sources(of index: Int32, _ family: AddressFamily, in state: RawState) -> [IPAddress] {
        let own = state.addresses.values.filter {
            $0.interfaceIndex == index && $0.address.family == family && $0.isUsableSource
                && state.isUsableSource($0.address)
        }
        return own.map(\.address).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(maxSources).map(\.self)
    }

    // MARK: Answers

    /// The ways out, in the order of the candidates; a second router of a device is one of its own.
    func waysOut(_ candidates: [Candidate]) -> [WayOut] {
        Array(candidates.flatMap(waysOut).prefix(Self.limit))
    }

    private func waysOut(of candidate: Candidate) -> [WayOut] {
        guard let interface = state.interface(candidate.index) else { return [] }
        var first: [AddressFamily: IPAddress?] = [:]
        var sources: [AddressFamily: IPAddress?] = [:]
        var obstacle = WayOut.Obstacle.noRoute
        for (family, routers) in candidate.routers {
            switch binding(of: candidate, family, routers) {
            case .success(let (router, source)):
                first[family] = .some(router)
                sources[family] = .some(source)
            case .failure(let found):
                first[family] = routers.first ?? .some(nil)
                if found.obstacle == .reversePathFilter { obstacle = found.obstacle }
            }
        }
        let access: WayOut.Access = sources.isEmpty ? .blocked(obstacle) : .bound(sources)
        let main = wayOut(over: interface, first, access)
        let others = candidate.routers.flatMap { family, routers in
            routers.filter { $0 != first[family] }.map { [family: $0] }
        }
        return [main]
            + others.map { wayOut(over: interface, $0, .blocked(.secondRouter)) }
            .sorted { $0.router?.description ?? "" < $1.router?.description ?? "" }
    }

    private func wayOut(
        over interface: Interface,
        _ routers: [AddressFamily: IPAddress?],
        _ access: WayOut.Access
    ) -> WayOut {
        let index = Int32(clamping: interface.index)
        let underlay = UnderlayResolver(state: state).resolve(index)
        let below = (underlay.chain + underlay.parallel).compactMap(state.interface)
        let costs = CostPolicy(
            policy: policy,
            viewpoint: policy.viewpoint ?? state.viewpoint(of: [index] + underlay.chain),
            awaitsNetworkManager: state.awaitsNetworkManager
        )
        // The path may lead over another router of the device.
        let subjects =
            [state.costSubject(interface, routers: routers.values.compactMap(\.self))]
            + below.map { state.costSubject($0) }
        let expensive = CostPolicy.any(subjects.map(costs.expensive))
        return WayOut(
            interface: interface,
            routers: routers,
            isUsable: state.links[index]?.isUsable == true,
            isShared: routers.contains { family, router in
                state.nextHops[family]?.contains { $0.destination == RouteHop(index, via: router) } == true
            },
            ssid: state.deviceFacts[index]?.ssid,
            isExpensive: expensive.flatMap { $0.source == .unknown ? nil : $0.value },
            isConstrained: (CostPolicy.any(subjects.map(costs.constrained)) ?? costs.constrainedByDefault).value,
            access: access
        )
    }

    private struct Blocked: Error { var obstacle: WayOut.Obstacle }
    private typealias Binding = (router: IPAddress?, source: IPAddress?)

    /// The router that a socket bound to the device reaches, and the source address that it must be bound to as well.
    private func binding(
        of candidate: Candidate,
        _ family: AddressFamily,
        _ routers: [IPAddress?]
    ) -> Result<Binding, Blocked> {
        guard let destination = policy.destination(family) else { return .failure(Blocked(obstacle: .noRoute)) }
        let device = candidate.index
        var obstacle = WayOut.Obstacle.noRoute
        for source in [nil] + Self.sources(of: device, family, in: state) {
            let question = Question(destination: destination, device: device, source: source)
            guard case .route(let entry)? = answers[question], entry.isUnicast,
                let hop = entry.hops.first(where: { $0.interfaceIndex == device && routers.contains($0.gateway) })
            else { continue }
            let chosen = source ?? preferredSource(to: destination, over: device)
            if family == .ipv4, strictDevices.contains(device), !returns(destination, to: chosen, over: device) {
                obstacle = .reversePathFilter
                continue
            }
            return .success((hop.gateway, source))
        }
        return .failure(Blocked(obstacle: obstacle))
    }

    private func preferredSource(to destination: IPAddress, over device: Int32) -> IPAddress? {
        guard case .route(let route)? = answers[Question(destination: destination, device: device, isEntry: false)]
        else { return nil }
        return route.preferredSource
    }

    /// Whether a packet from this host to the destination would leave through the device where the answer arrives: what
    /// strict filtering demands (fib_validate_source in the kernel's net/ipv4/fib_frontend.c).
    private func returns(_ destination: IPAddress, to source: IPAddress?, over device: Int32) -> Bool {
        guard let source,
            case .route(let entry)? = answers[Question(destination: destination, source: source)]
        else { return false }
        return entry.hops.contains { $0.interfaceIndex == device }
    }
}

/// The sysctl `rp_filter` of IPv4; IPv6 has none.
enum ReversePathFilter {
    /// Whether answers that arrive at a device must come from where packets to their sender would go.
    ///
    /// The higher one of the device's value and that of all devices counts: 1 is strict, 2 loose (ip-sysctl).
    static func isStrict(_ device: String, sysctlRoot: String) -> Bool {
        func value(_ name: String) -> Int {
            SmallFile.line("\(sysctlRoot)/net/ipv4/conf/\(name)/rp_filter").flatMap { Int($0) } ?? 0
        }
        return max(value("all"), value(device)) == 1
    }
}
