import Netlink
import Posix

/// Turns the recorded state of the network into a `Path`; the same state always gives the same path.
package struct PathEvaluator {
    private let state: RawState
    private let policy: PathPolicy
    private let verdicts: [AddressFamily: FamilyVerdict]

    /// The path at this instant.
    package static func evaluate(
        _ state: RawState,
        policy: PathPolicy = PathPolicy(),
        now: SuspendingClock.Instant
    ) -> Evaluation {
        PathEvaluator(state: state, policy: policy).evaluation(now: now)
    }

    private init(state: RawState, policy: PathPolicy) {
        self.state = state
        self.policy = policy
        verdicts = Dictionary(uniqueKeysWithValues: AddressFamily.allCases.map { ($0, FamilyVerdict($0, in: state)) })
    }

    private func evaluation(now: SuspendingClock.Instant) -> Evaluation {
        let outage = carrying.isEmpty ? Outage(families.map(\.verdict), in: state, now: now) : nil
        var path = Path(status: outage?.status ?? .satisfied, unsatisfiedReason: outage?.reason)
        addInterfaces(to: &path)
        addRoutes(to: &path)
        addCost(to: &path)
        path.dnsServers = state.resolvers.nameservers

        var evaluation = Evaluation(path: path, downCause: outage?.cause)
        evaluation.withoutCarrier = Set(
            state.links.values.filter { $0.isUp && !$0.isUsable && !$0.isLoopback }.map { Int($0.index) }
        )
        evaluation.legs = carrying.flatMap(\.verdict.legs)
        evaluation.reevaluateAt = outage?.endsAt
        return evaluation
    }

    private typealias Family = (family: AddressFamily, verdict: FamilyVerdict)

    /// IPv4 first.
    private var families: [Family] {
        [AddressFamily.ipv4, .ipv6].compactMap { family in verdicts[family].map { (family, $0) } }
    }

    private var carrying: [Family] { families.filter(\.verdict.carries) }

    /// The family that speaks for the path: one that works, else one whose device is down, else one that names a device.
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
        path.underlay = chain.last.flatMap(state.interface)
        path.viewpoint = state.viewpoint(of: (primary?.verdict.hop.map { [$0.interfaceIndex] } ?? []) + chain)
    }

    private func addRoutes(to path: inout Path) {
        let tables = Set(carrying.compactMap(\.verdict.table))
        let others = DefaultRoutes(state, tables: tables).usable(preferring: primary?.family ?? .ipv4)
        let hops = carrying.compactMap(\.verdict.hop) + others.map(\.hop)

        var indices: [Int32] = []
        for hop in hops where !indices.contains(hop.interfaceIndex) { indices.append(hop.interfaceIndex) }
        path.availableInterfaces = indices.compactMap(state.interface)

        for hop in hops {
            guard let gateway = hop.gateway.map({ state.text(of: $0, on: hop.interfaceIndex) }) else { continue }
            if !path.gateways.contains(gateway) { path.gateways.append(gateway) }
        }
        path.isMultipath = carrying.contains { $0.verdict.legs.count > 1 }
        path.isDegraded = carrying.contains { $0.verdict.legs.contains { !$0.isUsable } }
    }

    private func addCost(to path: inout Path) {
        let costs = CostPolicy(policy: policy)
        let subjects = devicesInUse.map(state.costSubject)
        let constrained = CostPolicy.any(subjects.map(costs.constrained)) ?? costs.constrainedByDefault
        path.isConstrained = constrained.value
        path.constrainedSource = constrained.source
        if path.status == .satisfied, let expensive = CostPolicy.any(subjects.map(costs.expensive)) {
            path.isExpensive = expensive.value
            path.expensiveSource = expensive.source
        }
        path.metered = metered(path)
    }

    /// All devices that traffic may pass: of both families, every usable leg, and what stands below them.
    private var devicesInUse: [Interface] {
        let used = carrying.isEmpty ? primary.map { [$0] } ?? [] : carrying
        var indices: [Int32] = []
        for (family, verdict) in used {
            let legs = (state.legs[family] ?? []).filter(state.isUsable).map(\.interfaceIndex)
            let tops = (verdict.hop.map { [$0.interfaceIndex] } ?? []) + legs
            for top in tops {
                let underlay = UnderlayResolver(state: state).resolve(top)
                indices += [top] + underlay.chain + underlay.parallel
            }
        }
        var seen: Set<Int32> = []
        return indices.filter { seen.insert($0).inserted }.compactMap(state.interface)
    }

    /// The device's own, but about a tunnel NetworkManager can only guess, and what is below it knows better.
    private func metered(_ path: Path) -> MeteredState {
        let direct = path.interface.map(state.metered) ?? .unknown
        let below = path.underlay.map(state.metered) ?? .unknown
        let isGuess = path.interface?.isTunnel == true && !direct.isExplicit
        return direct == .unknown || isGuess && below != .unknown ? below : direct
    }
}
