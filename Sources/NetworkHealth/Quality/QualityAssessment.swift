package import FoundationEssentials
package import NetworkPath
import Statistics

/// The quality of the network at one instant, and its source; pure.
package struct QualityAssessment: Sendable, Equatable {
    package var quality: NetworkQuality
    package var source: QualitySource
    /// The fresh part of the measurement; nil without one.
    package var measurement: SpeedMeasurement?

    /// Offline without a path or the internet; else by the measured download while it is fresh; else estimated.
    ///
    /// A download that is a lower bound counts where it is not below the estimate.
    ///
    /// - Parameters:
    ///   - path: the path of this moment.
    ///   - isOnline: nil: not known; then a path is enough.
    ///   - evidence: the measurements and observations of this path's uplink.
    ///   - maxAge: how long a measurement counts; nil: as long as the evidence says.
    ///   - date: now.
    package init(path: Path, isOnline: Bool?, evidence: QualityEvidence, maxAge: Duration? = nil, at date: Date) {
        let measurement = evidence.measurement?.fresh(at: date, maxAge: maxAge ?? evidence.maxAge)
        self.measurement = measurement
        let isOffline = isOnline == false || path.status != .satisfied
        let estimate = isOffline ? .offline : QualityEstimate.quality(of: path, evidence)
        let measured = measurement?.download.map { NetworkQuality(bitsPerSecond: $0.rate.bitsPerSecond) }
        if let measured, !isOffline, measurement?.download?.isLowerBound == false || measured >= estimate {
            (quality, source) = (measured, .measured)
        } else {
            (quality, source) = (estimate, .estimated)
        }
    }
}

/// The source of a quality.
package enum QualitySource: String, Sendable, CaseIterable {
    case measured, estimated
}

/// The quality of a path without a measurement.
package enum QualityEstimate {
    /// The quality that the type of the path promises, and at most what its link speed carries.
    ///
    /// Ethernet and Wi-Fi are good, other types moderate, a tunnel as its underlying interface. It is at most good, since a
    /// fast link to the router does not make the internet behind it fast, and in a container at most moderate, since the
    /// link is not visible there. High latency or loss lowers it by a step; the highest observed rate raises it again.
    package static func quality(
        of path: Path,
        _ evidence: QualityEvidence = QualityEvidence()
    ) -> NetworkQuality {
        guard path.status == .satisfied else { return .offline }
        if let estimate = evidence.hostEstimate { return estimate }
        let promised = promise(of: path)
        let felt = evidence.impairments.isEmpty ? promised : promised.worse
        // At most good: the rate may be that of a cache in the local network; in a container, of the host itself.
        let ceiling: NetworkQuality = path.viewpoint == .container ? .moderate : .good
        return min(max(felt, evidence.carried.map(NetworkQuality.init(bitsPerSecond:)) ?? .offline), ceiling)
    }

    private static func promise(of path: Path) -> NetworkQuality {
        let carrier = carrier(of: path)
        let byType: NetworkQuality =
            switch carrier?.type {
            case .wiredEthernet, .wifi: .good
            default: .moderate
            }
        // A VLAN or a bridge has the speed of its underlying interface.
        guard let speed = carrier?.linkSpeed ?? path.underlay?.linkSpeed else { return byType }
        return min(byType, NetworkQuality(bitsPerSecond: Double(speed)))
    }

    /// The interface that decides: the underlying interface of a tunnel where that is known, else the interface of the
    /// path.
    package static func carrier(of path: Path) -> Interface? {
        guard let interface = path.interface else { return nil }
        return interface.isTunnel ? path.underlay ?? interface : interface
    }
}

extension NetworkQuality {
    /// One step down, at the lowest poor.
    fileprivate var worse: NetworkQuality { Self.allCases.first { $0.level == level - 1 && $0 != .offline } ?? self }

    /// The slowest download of its class, in bits per second.
    var minRate: Double {
        switch self {
        case .excellent: 50e6
        case .good: 10e6
        case .moderate: 1e6
        case .poor, .offline: 0
        }
    }

    /// By the thresholds 50, 10 and 1 Mbit/s.
    package init(bitsPerSecond speed: Double) {
        self = [.excellent, .good, .moderate].first { speed >= $0.minRate } ?? .poor
    }
}
