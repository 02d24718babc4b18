import Netlink
import Posix

/// Turns the recorded state of the network into a `Path`; the same state always gives the same path.
package struct PathEvaluator {
    private let state: RawState
    private let policy: PathPolicy
    private let verdicts: [AddressFamily: FamilyVerdict]

    /// The path at this instant.
    ///
    /// - Parameters:
    ///   - state: the facts.
    ///   - policy: the user's rules.
    ///   - carriers: the devices of the last path that could carry traffic, what carries a tunnel before it; they distinguish a lost link from a
    ///     lost route.
    ///   - settlesBy: until when a path that is connecting is no outage; nil once the first path after the start has settled.
    ///   - now: the time.
    /// - Returns: the path, and what the settler needs to know about it.
    package static func evaluate(
        _ state: RawState,
        policy: PathPolicy = PathPolicy(),
        carriers: [Interface] = [],
        settlesBy: SuspendingClock.Instant? = nil,
        now: SuspendingClock.Instant
    ) -> PathEvaluation {
        let facts = PathEvaluator(state: state, policy: policy)
        var outage = facts.carrying.isEmpty ? Outage(facts.families.map(\.verdict), in: state, now: now) : nil
        outage?.attribute(toLinkOf: carriers, in: state)
        outage?.settle(by: settlesBy, in: state, now: now)
        var path = Path(status: outage?.status ?? .satisfied, unsatisfiedReason: outage?.reason)
        facts.addInterfaces(to: &path)
        facts.addRoutes(to: &path)
        facts.addCost(to: &path)
        path.replaceCables(by: policy.host)
        path.dnsServers = state.nameservers

        var evaluation = PathEvaluation(path: path, downCause: outage?.cause)
        evaluation.withoutCarrier = Set(
            state.links.values.filter { $0.isUp && !$0.isUsable && !$0.isLoopback }.map { Int($0.index) }
        )
        evaluation.reevaluateAt = outage?.endsAt
        evaluation.isSettling = outage?.isSettling ?? false
        return evaluation
    }

    private init(state: RawState, policy: PathPolicy) {
        self.state = state
        self.policy = policy
        verdicts = Dictionary(uniqueKeysWithValues: AddressFamily.allCases.map { ($0, FamilyVerdict($0, in: state)) })
    }

    private typealias Family = (family: AddressFamily, verdict: FamilyVerdict)

    /// IPv4 first.
    private var families: [Family] {
        [AddressFamily.ipv4, .ipv6].compactMap { family in verdicts[family].map { (family, $0) } }
    }

    private var carrying: [Family] { families.filter(\.verdict.carries) }

    /// The family that determines the path's device: one that works, else one whose device is down, else one that names a device.
    private var primary: Family? {
        carrying.first ?? families.first(where: \.verdict.isDown) ?? families.first { $0.verdict.hop != nil }
    }

    private func addInterfaces(to path: inout Path) {
        func interface(_ verdict: FamilyVerdict?) -> Interface? {
            verdict?.hop.flatMap { state.interface($0.interfaceIndex) }
        }
        let ipv4 = verdicts[.ipv4]
        let ipv6 = verdicts[.ipv6]
        path.supportsIPv4 = ipv4?.carries == true
        path.supportsIPv6 = ipv6?.carries == true
        path.ipv4Interface = path.supportsIPv4 ? interface(ipv4) : nil
        path.ipv6Interface = path.supportsIPv6 ? interface(ipv6) : nil
        path.interface = interface(primary?.verdict)
        let chain = primary?.verdict.underlay.chain ?? []
        path.lowerInterfaces = chain.compactMap(state.interface)
        path.underlay = path.lowerInterfaces.last
        path.captivePortal =
            [path.interface, path.underlay].compactMap { device in
                device.flatMap { state.portals[Int32(clamping: $0.index)] }
            }.first
        path.viewpoint =
            policy.viewpoint ?? state.viewpoint(of: (primary?.verdict.hop.map { [$0.interfaceIndex] } ?? []) + chain)
    }

    private func addRoutes(to path: inout Path) {
        let tables = Set(carrying.compactMap(\.verdict.table))
        let others = state.defaultHops(preferring: primary?.family ?? .ipv4, tables: tables).map(\.hop)
        let usable = others.filter { state.links[$0.interfaceIndex]?.isUsable == true }
        let hops = carrying.compactMap(\.verdict.hop) + usable

        var indices: [Int32] = []
        for hop in hops where !indices.contains(hop.interfaceIndex) { indices.append(hop.interfaceIndex) }
        path.availableInterfaces = indices.compactMap(state.interface)

        let devices = Set(devicesInUse.map(\.index))
        var used: Set<String> = []
        for hop in hops {
            guard let gateway = hop.gateway.map({ state.text(of: $0, on: hop.interfaceIndex) }) else { continue }
            if !path.gateways.contains(gateway) { path.gateways.append(gateway) }
            if devices.contains(Int(hop.interfaceIndex)) { used.insert(gateway) }
        }
        path.standbyGateways = path.gateways.filter { !used.contains($0) }
        path.isMultipath = carrying.contains { $0.verdict.nextHops.count > 1 }
        path.isDegraded = carrying.contains { !$0.verdict.nextHops.allSatisfy(state.isUsable) }
    }

    private func addCost(to path: inout Path) {
        let costs = CostPolicy(
            policy: policy,
            viewpoint: path.viewpoint,
            awaitsNetworkManager: state.awaitsNetworkManager
        )
        let subjects = devicesInUse.map { state.costSubject($0) }
        let constrained = CostPolicy.any(subjects.map(costs.constrained)) ?? costs.constrainedByDefault
        path.isConstrained = constrained.value
        path.constrainedSource = constrained.source
        let expensive = path.status == .satisfied ? CostPolicy.any(subjects.map(costs.expensive)) : nil
        path.isExpensive = expensive?.value ?? false
        path.expensiveSource = expensive?.source ?? costs.undecided.source
        path.metered = metered(path)
    }

    /// All devices that traffic may pass: of both families, each usable next hop, and the devices below them.
    private var devicesInUse: [Interface] {
        let used = carrying.isEmpty ? primary.map { [$0] } ?? [] : carrying
        var indices: [Int32] = []
        for (family, verdict) in used {
            let others = (state.nextHops[family] ?? []).filter(state.isUsable)
            let tops = ((verdict.hop.map { [$0] } ?? []) + others).map(\.interfaceIndex)
            for top in tops {
                let underlay = UnderlayResolver(state: state).resolve(top)
                indices += [top] + underlay.chain + underlay.parallel
            }
        }
        var seen: Set<Int32> = []
        return indices.filter { seen.insert($0).inserted }.compactMap(state.interface)
    }

    /// The device's own state.
    ///
    /// For a tunnel NetworkManager can only guess, so that the underlying interface's state is preferred.
    private func metered(_ path: Path) -> MeteredState {
        let direct = path.interface.map(state.metered) ?? .unknown
        let below = path.underlay.map(state.metered) ?? .unknown
        let isGuess = path.interface?.isTunnel == true && !direct.isExplicit
        return direct == .unknown || isGuess && below != .unknown ? below : direct
    }
}

extension Path {
    /// In a container a cable ends at the host: what carries the traffic from there on is what the host says, else unknown.
    fileprivate mutating func replaceCables(by host: PathPolicy.HostFacts?) {
        guard viewpoint == .container else { return }
        func replaced(_ interface: Interface?) -> Interface? {
            var interface = interface
            if interface?.type == .wiredEthernet { interface?.type = host?.type ?? .unknown }
            return interface
        }
        (interface, underlay) = (replaced(interface), replaced(underlay))
        (ipv4Interface, ipv6Interface) = (replaced(ipv4Interface), replaced(ipv6Interface))
        lowerInterfaces = lowerInterfaces.compactMap(replaced)
        availableInterfaces = availableInterfaces.compactMap(replaced)
        // Not a device of this namespace, where indices begin at 1.
        if underlay == nil, interface != nil, let host, let device = host.device {
            underlay = Interface(name: device, index: 0, type: host.type)
        }
    }
}

/// The path that follows from a state of the network, and what else the settler and the timers need.
package struct PathEvaluation: Sendable, Equatable {
    package var path: Path
    /// What took the path away; nil while it is satisfied.
    package var downCause: DownCause?
    /// Indices of all links that are switched on and yet cannot carry traffic.
    package var withoutCarrier: Set<Int> = []
    /// Whether the path is connecting, and it is too early after the start to count that as an outage.
    package var isSettling = false
    /// When the result changes by the passing of time alone.
    package var reevaluateAt: SuspendingClock.Instant?

    package init(path: Path, downCause: DownCause? = nil) {
        self.path = path
        self.downCause = downCause
    }
}

/// What took the path away, which decides how long to wait for its return.
package enum DownCause: Sendable, Equatable, CaseIterable {
    /// The cable, the access point or the process behind a tunnel: it often comes back at once.
    case carrier
    /// The link was switched off.
    case administrative
    /// The link does not exist any more.
    case gone
    /// There is no route, or one that cannot be used.
    case route
}
