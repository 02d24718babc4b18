package import FoundationEssentials
package import NetworkPath
package import Probing
import Statistics

/// Everything the monitor core knows at one instant: the one state in the middle that every view reads.
package struct HealthState: Sendable, Equatable {
    package var path: Path
    /// The path in one word.
    package var status: NetworkStatus
    /// What is known of the internet behind the path; nil where nobody asks, and before the first verdict.
    package var internet: InternetVerdict?
    /// Connected, and where somebody asks, the internet is behind it; nil while that waits for the first verdict of a path
    /// that is new or came back.
    package var isOnline: Bool?
    /// nil while there is no way out.
    package var uplink: Uplink?
    /// What is known of this uplink beside the path.
    package var evidence: QualityEvidence
    /// How good it was when this state began; see `assessment(at:maxAge:)` for later.
    package var assessment: QualityAssessment
    /// The outage that goes on, else the last one that ended; nil before the first.
    package var outage: Outage?
    /// When this state began.
    package var timestamp: Date

    /// The state that follows from a path and from what is known of the internet behind it.
    ///
    /// Until the first verdict the quality is what the path promises.
    ///
    /// - Parameters:
    ///   - path: the path of this moment.
    ///   - internet: the verdict that holds; nil before the first.
    ///   - expectsVerdict: whether somebody asks for the internet; where nobody does, connected is online.
    ///   - evidence: what is known of this path's uplink.
    ///   - timestamp: when the state began.
    package init(
        path: Path,
        internet: InternetVerdict? = nil,
        expectsVerdict: Bool = false,
        evidence: QualityEvidence = QualityEvidence(),
        timestamp: Date
    ) {
        self.path = path
        self.internet = internet
        self.evidence = evidence
        self.timestamp = timestamp
        uplink = Uplink(path)
        status = NetworkStatus(path)
        isOnline = status.isConnected && expectsVerdict ? internet?.isOnline : status.isConnected
        assessment = QualityAssessment(path: path, isOnline: isOnline, evidence: evidence, at: timestamp)
    }

    /// How good it is at a later moment: a measurement grows old without any event.
    ///
    /// - Parameters:
    ///   - date: now.
    ///   - maxAge: how long a measurement counts; nil: as long as the evidence says.
    /// - Returns: the quality and how it is known.
    package func assessment(at date: Date, maxAge: Duration? = nil) -> QualityAssessment {
        QualityAssessment(path: path, isOnline: isOnline, evidence: evidence, maxAge: maxAge, at: date)
    }

    package var quality: NetworkQuality { assessment.quality }
    package var qualitySource: QualitySource { assessment.source }

    /// What a program sees of it.
    package var snapshot: NetworkSnapshot {
        NetworkSnapshot(
            quality: quality,
            connectionType: connectionType,
            isExpensive: path.isExpensive,
            isConstrained: path.isConstrained,
            interfaceName: path.interface?.name,
            timestamp: timestamp,
            downloadSpeedMbps: assessment.measurement?.download?.rate.megabits,
            uploadSpeedMbps: assessment.measurement?.upload?.rate.megabits
        )
    }

    /// The type of the interface, or of what a tunnel stands on.
    package var connectionType: ConnectionType {
        ConnectionType(QualityEstimate.carrier(of: path)?.type ?? .unknown)
    }
}

extension InternetVerdict {
    /// nil until the first verdict on this path.
    fileprivate var isOnline: Bool? { state == .unknown ? nil : state.isOnline }
}

extension NetworkStatus {
    /// The path's status and reason in one word.
    init(_ path: Path) {
        switch (path.status, path.unsatisfiedReason) {
        case (.satisfied, _): self = .connected
        case (.requiresConnection, _): self = .requiresConnection
        case (.unsatisfied, .linkDown), (.unsatisfied, .noRoute), (.unsatisfied, nil): self = .disconnected
        case (.unsatisfied, _): self = .unsatisfied
        }
    }
}

extension ConnectionType {
    /// What an interface of `type` is to a user.
    package init(_ type: Interface.InterfaceType) {
        switch type {
        case .wifi: self = .wifi
        case .cellular: self = .cellular
        case .wiredEthernet: self = .ethernet
        case .other, .loopback: self = .other
        case .unknown: self = .unknown
        }
    }
}
