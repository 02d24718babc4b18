import Netlink
import Posix

/// Finds the underlying interface of a device (Apple's delegate): a VLAN's parent, a bond's active member, the interface that
/// carries a tunnel's packets.
struct UnderlayResolver {
    /// A bound on stacking, against the cost of absurd setups; cycles end earlier.
    private static let maximumDepth = 8

    let state: RawState

    func resolve(_ index: Int32) -> Underlay {
        var result = Underlay()
        var visited: Set<Int32> = [index]
        var current = index
        while let link = state.links[current], result.chain.count < Self.maximumDepth {
            switch step(below: link, avoiding: visited) {
            case .nothing:
                return result
            case .hidden:
                if result.chain.isEmpty { result.state = .unknown }
                return result
            case .missing:
                result.state = .unusable(.route)
                return result
            case .onto(let next, let parallel):
                guard visited.insert(next.index).inserted else { return result }
                result.chain.append(next.index)
                result.parallel += parallel.map(\.index)
                if !next.isUsable {
                    result.state = .unusable(next.downCause)
                } else if result.state == .none {
                    result.state = .usable
                }
                current = next.index
            }
        }
        return result
    }

    private enum Step {
        case nothing
        case hidden
        case missing
        case onto(Link, parallel: [Link])
    }

    private func step(below link: Link, avoiding visited: Set<Int32>) -> Step {
        let nature = state.interfaceClass(of: link)
        // What is below a PPP line is known to its daemon only.
        if link.isPPP { return nature.isTunnel ? .hidden : .nothing }
        switch link.kind {
        case "bond": return active(of: link)
        case "team", "bridge", "vrf": return bridged(by: link)
        default: break
        }
        guard nature.isTunnel || nature.type == nil || link.parentNamespace != nil else { return .nothing }
        if link.parentNamespace != nil { return .hidden }
        if !InterfaceClassifier.cables.contains(link.kind ?? ""), let index = link.parentIndex, index > 0,
            index != link.index, state.links[index]?.isLoopback != true
        {
            return state.links[index].map { .onto($0, parallel: []) } ?? .hidden
        }
        return nature.isTunnel ? wayOut(avoiding: visited) : .hidden
    }

    /// The active member; without one (LACP, round robin) all running members carry traffic, and the first represents them.
    private func active(of bond: Link) -> Step {
        let members = members(of: bond)
        let name = state.deviceFacts[bond.index]?.activeSlave
        if let active = members.first(where: { $0.index == bond.activeSlaveIndex })
            ?? members.first(where: { $0.name == name })
        {
            return .onto(active, parallel: [])
        }
        let running = members.filter(\.isRunning)
        guard let first = running.first ?? members.first else { return .nothing }
        return .onto(first, parallel: Array(running.dropFirst()))
    }

    /// The port that leads out of this host: running hardware at best, never a container's or a virtual machine's.
    private func bridged(by bridge: Link) -> Step {
        let ports = members(of: bridge).filter {
            !InterfaceClassifier.cables.contains($0.kind ?? "") && !state.interfaceClass(of: $0).isTunnel
        }
        let best = ports.min { rank($0) < rank($1) }
        return best.map { .onto($0, parallel: []) } ?? .nothing
    }

    /// Lower is better.
    private func rank(_ port: Link) -> (Int, Int, Int32) {
        let hasDevice = state.deviceFacts[port.index]?.hasDevice == true
        return (port.isRunning ? 0 : 1, hasDevice ? 0 : 1, port.index)
    }

    /// The kernel does not report where a tunnel's outer packets go: the best other default route is the likely way.
    private func wayOut(avoiding visited: Set<Int32>) -> Step {
        let others = state.links.values.filter { isWayOut($0) && !visited.contains($0.index) }
        // A namespace with nothing else: the tunnel was moved into it, or its process lives outside (slirp4netns).
        guard !others.isEmpty else { return .hidden }

        let indices = Set(others.map(\.index))
        let candidates = state.defaultHops(preferring: .ipv4)
            .filter { indices.contains($0.hop.interfaceIndex) }
            .compactMap { state.links[$0.hop.interfaceIndex] }
        if let best = candidates.first(where: \.isUsable) ?? candidates.first { return .onto(best, parallel: []) }

        // No default route but hardware with an address: a route to the peer alone may lead there (`redirect-gateway`).
        return others.contains(where: couldReachPeer) ? .hidden : .missing
    }

    private func isWayOut(_ link: Link) -> Bool {
        !link.isLoopback && (link.isPPP || !state.interfaceClass(of: link).isTunnel)
    }

    private func couldReachPeer(_ link: Link) -> Bool {
        link.isUsable && state.hasUsableAddress(on: link.index) && leadsOut(link)
    }

    /// Whether it is hardware or the end of a line, or a bond, bridge or VLAN over such a device.
    private func leadsOut(_ link: Link) -> Bool {
        var visited: Set<Int32> = []
        var link = link
        while visited.insert(link.index).inserted {
            let isEnd =
                link.kind == nil || link.parentNamespace != nil || link.isPPP
                || state.deviceFacts[link.index]?.hasDevice == true
            if isEnd { return true }
            // Below a tunnel this would be asked again.
            guard !state.interfaceClass(of: link).isTunnel,
                case .onto(let next, _) = step(below: link, avoiding: visited)
            else { return false }
            link = next
        }
        return false
    }

    private func members(of master: Link) -> [Link] {
        state.links.values.filter { $0.masterIndex == master.index }.sorted { $0.index < $1.index }
    }
}

/// The underlying interfaces of a device, as far as this network namespace shows them.
struct Underlay: Sendable, Equatable {
    var state: State = .none
    /// The devices below, from the next one down to the hardware.
    var chain: [Int32] = []
    /// Devices that carry traffic in parallel to those of the chain: the other members of a bond.
    var parallel: [Int32] = []

    enum State: Sendable, Equatable {
        /// There is none: it is hardware, or a device of its own.
        case none
        /// All of it can carry traffic.
        case usable
        /// It cannot, or there is no usable interface.
        case unusable(DownCause)
        /// It is not visible, as in another network namespace.
        case unknown
    }
}
