package import FoundationEssentials
package import NetworkPath
import Statistics

/// How good the network is at one instant, and how that is known; pure.
package struct QualityAssessment: Sendable, Equatable {
    package var quality: NetworkQuality
    package var source: QualitySource
    /// What is fresh of the measurement; nil where nothing counts any more, or yet.
    package var measurement: SpeedMeasurement?

    /// Offline without a path or an internet; by the measured download while that is fresh; else estimated.
    ///
    /// - Parameters:
    ///   - path: the path of this moment.
    ///   - isOnline: nil while nobody knows; the path then stands for it.
    ///   - evidence: what is known of this path's uplink.
    ///   - maxAge: how long a measurement counts; nil: as long as the evidence says.
    ///   - date: now.
    package init(path: Path, isOnline: Bool?, evidence: QualityEvidence, maxAge: Duration? = nil, at date: Date) {
        let measurement = evidence.measurement?.fresh(at: date, maxAge: maxAge ?? evidence.maxAge)
        self.measurement = measurement
        let isOffline = isOnline == false || path.status != .satisfied
        if let download = measurement?.download, !isOffline {
            quality = NetworkQuality(bitsPerSecond: download.rate.bitsPerSecond)
            source = .measured
        } else {
            quality = isOffline ? .offline : QualityEstimate.quality(of: path, evidence)
            source = .estimated
        }
    }
}

/// Where a quality comes from.
package enum QualitySource: String, Sendable {
    case measured, estimated
}

/// The quality that a path promises before anything was measured on it.
package enum QualityEstimate {
    /// Ethernet and Wi-Fi good, anything else moderate, a tunnel as what it stands on, never above what the link speed
    /// carries; at most good, since a fast link to the router says nothing about what is behind it.
    ///
    /// High latency or loss takes a step off; what was seen to come through, at any time, raises it again.
    package static func quality(
        of path: Path,
        _ evidence: QualityEvidence = QualityEvidence()
    ) -> NetworkQuality {
        guard path.status == .satisfied else { return .offline }
        let promised = promise(of: path)
        let felt = evidence.isImpaired ? promised.worse : promised
        // A burst of a cache next door says nothing of the internet: at most good.
        return max(felt, min(.good, evidence.carried.map(NetworkQuality.init(bitsPerSecond:)) ?? .offline))
    }

    private static func promise(of path: Path) -> NetworkQuality {
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
    /// One step down; poor is the last of a network that is there.
    fileprivate var worse: NetworkQuality { Self.allCases.first { $0.level == level - 1 && $0 != .offline } ?? self }

    /// The slowest download of its class, bits a second.
    var minRate: Double {
        switch self {
        case .excellent: 50e6
        case .good: 10e6
        case .moderate: 1e6
        case .poor, .offline: 0
        }
    }

    /// By the contract's thresholds: 50, 10 and 1 Mbps.
    package init(bitsPerSecond speed: Double) {
        self = [.excellent, .good, .moderate].first { speed >= $0.minRate } ?? .poor
    }
}
