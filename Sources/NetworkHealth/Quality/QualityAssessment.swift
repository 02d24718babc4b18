package import FoundationEssentials
package import NetworkPath

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
            quality = NetworkQuality(bitsPerSecond: download.bitsPerSecond)
            source = .measured
        } else {
            quality = isOffline ? .offline : QualityEstimate.quality(of: path, evidence)
            source = .estimated
        }
    }
}

/// Where a quality comes from.
package enum QualitySource: String, Sendable, CaseIterable {
    case measured, estimated
}
