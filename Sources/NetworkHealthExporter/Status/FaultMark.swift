import NetworkHealth
import NetworkPath

/// Where a fault is on the way as the page draws it: a station, or the stretch that leads to one; pure.
enum FaultMark: Sendable, Equatable {
    case station(Station.Name)
    case way(to: Station.Name)

    /// nil for what is not on the way, or not located.
    init?(_ location: FaultLocation, in viewpoint: Path.Viewpoint = .host) {
        switch (location, viewpoint) {
        // The router of a container is its host, and the host's whole way is behind it.
        case (.host, .container): self = .station(.router)
        case (.link, .container), (.router, .container), (.access, .container): self = .way(to: .internet)
        case (.host, _): self = .station(.device)
        case (.link, _): self = .way(to: .router)
        case (.router, _): self = .station(.router)
        case (.access, _): self = .way(to: .provider)
        case (.provider, _), (.vpn, _): self = .way(to: .internet)
        case (.internet, _), (.policy, _): self = .station(.internet)
        case (.dns, _): self = .station(.dns)
        case (.destination, _), (.unknown, _): return nil
        }
    }
}

extension [Station] {
    /// Draws a fault where it is.
    ///
    /// - Parameters:
    ///   - fault: one of those that hold.
    ///   - viewpoint: of the path.
    ///   - isOnline: whether the internet is reached in spite of it.
    mutating func mark(_ fault: Fault, in viewpoint: Path.Viewpoint, isOnline: Bool) {
        let state = Station.State(fault.kind, isOnline: isOnline)
        switch FaultMark(fault.location, in: viewpoint) {
        case .station(let name): raise(name, to: state, fault.detail)
        case .way(let name):
            // Without the station of the provider the stretch ends at the internet.
            let end = firstIndex { $0.name == name } ?? firstIndex { $0.name == .internet }
            if let end { self[end].way = state }
        case nil: break
        }
        if fault.location == .provider { raise(.provider, to: .impaired, fault.detailOfProvider) }
    }

    private mutating func raise(_ name: Station.Name, to state: Station.State, _ detail: String) {
        guard let index = firstIndex(where: { $0.name == name }), self[index].state < state else { return }
        (self[index].state, self[index].detail) = (state, detail)
    }
}

extension Station.State: Comparable {
    /// What works is less than what does not; what is not known is less than both.
    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .off: 0
        case .unknown: 1
        case .ok: 2
        case .slow: 3
        case .impaired: 4
        case .failed: 5
        }
    }

    fileprivate init(_ kind: FaultKind, isOnline: Bool) {
        self =
            switch kind {
            case .outage: isOnline ? .impaired : .failed
            case .latency: .slow
            case .loss, .throughput, .mtu: .impaired
            }
    }
}

extension Fault {
    /// What the station of the provider says of what is behind its first router.
    fileprivate var detailOfProvider: String { kind == .outage ? "nothing behind it" : "\(detail) behind it" }

    /// What a station says of it.
    fileprivate var detail: String {
        switch kind {
        case .outage: location == .dns ? "a server does not work" : "no connection"
        case .loss: "losing packets"
        case .latency: location == .dns ? "slow answers" : "delays"
        case .throughput: "too little speed"
        case .mtu: "large packets vanish"
        }
    }
}

extension FaultLocation {
    /// Whether packets pass the router where nothing passes this place.
    var isBehindRouter: Bool { [.access, .provider, .internet].contains(self) }
    /// Whether the provider's first router is reached where nothing passes this place.
    var isBehindProvider: Bool { [.provider, .internet].contains(self) }
}
