package import NetworkPath

/// The quality that a path promises before anything was measured on it.
package enum QualityEstimate {
    /// Ethernet and Wi-Fi good, anything else moderate, a tunnel as what it stands on, never above what the link speed
    /// carries; at most good, since a fast link to the router says nothing about what is behind it.
    package static func quality(of path: Path) -> NetworkQuality {
        guard path.status == .satisfied else { return .offline }
        let carrier = carrier(of: path)
        let byType: NetworkQuality =
            switch carrier?.type {
            case .wiredEthernet, .wifi: .good
            default: .moderate
            }
        // A VLAN or a bridge has no speed of its own; what it stands on has.
        guard let speed = carrier?.linkSpeed ?? path.underlay?.linkSpeed else { return byType }
        return min(byType, NetworkQuality(bitsPerSecond: Double(speed)))
    }

    /// The interface that decides: what a tunnel stands on where that is known, else the direct one.
    package static func carrier(of path: Path) -> Interface? {
        guard let interface = path.interface else { return nil }
        return interface.isTunnel ? path.underlay ?? interface : interface
    }
}

extension NetworkQuality {
    /// By the contract's thresholds: 50, 10 and 1 Mbps.
    package init(bitsPerSecond speed: Double) {
        switch speed {
        case 50e6...: self = .excellent
        case 10e6...: self = .good
        case 1e6...: self = .moderate
        default: self = .poor
        }
    }
}
