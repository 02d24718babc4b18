package import FoundationEssentials
package import NetworkPath
package import Probing
import Statistics

/// The one state that every view reads: the path, the internet behind it, and the quality, at one instant.
package struct HealthState: Sendable, Equatable {
    package var path: Path
    /// Of the path: a verdict with a lower one is about an earlier path.
    package var generation: UInt64 = 0
    /// The path's status as one word.
    package var status: NetworkStatus
    /// The verdict about the internet behind the path; nil where it is not probed, and before the first verdict.
    package var internet: InternetVerdict?
    /// Connected, and where the internet is probed, with an internet behind the path; nil until the first verdict on a path
    /// that is new or came back, and while the first path after the start settles.
    package var isOnline: Bool?
    /// nil without a usable path.
    package var uplink: Uplink?
    /// What was measured and observed on this uplink.
    package var evidence: QualityEvidence
    /// The quality when this state was made; see `assessment(at:maxAge:)` for later.
    package var assessment: QualityAssessment
    /// The ongoing outage, else the last one; nil before the first.
    package var outage: Outage?
    /// Since when it is not known whether the ongoing outage lasts: there is evidence of its end, or a doubt; else nil.
    package var outageHeldSince: SuspendingClock.Instant?
    /// Why this host is offline now; nil while it is online, and where that is not known.
    ///
    /// The cause may be known before an outage is counted. It stays as it was while a limit of this machine prevents the
    /// checks, and while the exporter of the host does not know the state of the internet.
    package var currentCause: OutageCause?
    /// The last time in which this process did not run; nil before the first.
    package var gap: DatedGap?
    /// `outage` by the wall clock.
    package var datedOutage: DatedOutage?
    /// When this state was made.
    package var timestamp: Date
    /// When the last change of a snapshot or a `Transition` was made.
    package var since: Date
    /// When the last change of `isOnline` was made.
    package var onlineSince: Date

    /// The state that follows from a path and from the internet behind it.
    ///
    /// Until the first verdict the quality is estimated from the path.
    ///
    /// - Parameters:
    ///   - path: the path of this moment.
    ///   - internet: the current verdict; nil before the first.
    ///   - expectsVerdict: whether the internet is probed; where it is not, connected is online.
    ///   - isSettling: see `PathUpdate.isSettling`.
    ///   - evidence: what was measured and observed on this path's uplink.
    ///   - timestamp: now.
    package init(
        path: Path,
        internet: InternetVerdict? = nil,
        expectsVerdict: Bool = false,
        isSettling: Bool = false,
        evidence: QualityEvidence = QualityEvidence(),
        timestamp: Date
    ) {
        self.path = path
        self.internet = internet
        self.evidence = evidence
        self.timestamp = timestamp
        (since, onlineSince) = (timestamp, timestamp)
        uplink = Uplink(path)
        status = NetworkStatus(path)
        let isConnected = isSettling ? nil : status.isConnected
        isOnline = status.isConnected && expectsVerdict ? internet?.knownOnline : isConnected
        assessment = QualityAssessment(path: path, isOnline: isOnline, evidence: evidence, at: timestamp)
    }

    /// Whether the first path after the start has not settled yet, or was not observed.
    package var isSettling: Bool { isOnline == nil && !status.isConnected }

    /// The quality at a later moment: a measurement expires without any event.
    ///
    /// - Parameters:
    ///   - date: now.
    ///   - maxAge: how long a measurement counts; nil: the evidence decides.
    /// - Returns: the quality and its source.
    package func assessment(at date: Date, maxAge: Duration? = nil) -> QualityAssessment {
        QualityAssessment(path: path, isOnline: isOnline, evidence: evidence, maxAge: maxAge, at: date)
    }

    package var quality: NetworkQuality { assessment.quality }
    package var qualitySource: QualitySource { assessment.source }

    /// The state as the library reports it.
    package func snapshot(at date: Date) -> NetworkSnapshot {
        NetworkSnapshot(
            quality: quality,
            connectionType: connectionType,
            isExpensive: path.isExpensive,
            isConstrained: path.isConstrained,
            interfaceName: path.interface?.name,
            timestamp: date,
            downloadSpeedMbps: assessment.measurement?.download?.rate.megabits,
            uploadSpeedMbps: assessment.measurement?.upload?.rate.megabits,
            latency: assessment.measurement?.latency,
            since: since,
            isCostKnown: path.isCostKnown
        )
    }

    /// Continues the state before: what has not changed keeps its time.
    ///
    /// `since` stays where neither a snapshot nor a transition shows a difference.
    mutating func follow(_ last: HealthState) {
        if isOnline == last.isOnline { onlineSince = last.onlineSince }
        let isSame = !snapshot(at: timestamp).differs(from: last.snapshot(at: timestamp))
        if isSame, !Transition(self).differs(from: Transition(last)) { since = last.since }
    }

    /// The type of the interface, or of the one under a tunnel.
    package var connectionType: ConnectionType {
        ConnectionType(QualityEstimate.carrier(of: path)?.type ?? .unknown)
    }
}

extension InternetVerdict {
    /// nil until the first verdict on this path.
    fileprivate var knownOnline: Bool? { state == .unknown ? nil : isOnline }
}

extension NetworkStatus {
    /// The path's status and reason as one word.
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
    /// The connection type of an interface.
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
