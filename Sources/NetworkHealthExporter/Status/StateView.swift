import FoundationEssentials
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// `/-/ready` and `/api/v1/snapshot`: the current state.
struct StateView: Sendable {
    let host: HostMonitor
    let latency: @Sendable () -> NetworkLatency?
    let faults: @Sendable () -> [FaultDocument]?
    let uplinks: @Sendable () -> [UplinkDocument]?

    /// 200 once the first evaluation is complete and its path has settled; until then 503 with the reason.
    @Sendable func ready(_ request: Request) -> Response {
        guard host.health.current?.isSettling ?? true else { return .text("Ready\n") }
        let reason = host.path.failure.map { ": \($0)" } ?? ""
        return .text("Starting\(reason)\n", status: 503)
    }

    /// The snapshot as JSON; 503 before there is one.
    @Sendable func snapshot(_ request: Request) -> Response {
        guard let state = host.health.current else { return .error("starting", status: 503) }
        return .json(SnapshotDocument(state, latency: latency(), faults: faults(), uplinks: uplinks()).json)
    }
}

/// A snapshot as JSON: the fields of `NetworkSnapshot`, and those of the exporter; unknown is `null`.
struct SnapshotDocument: Codable, Sendable {
    /// null before the first path has settled.
    @Nullable var quality: String?
    var connectionType: String
    @Nullable var isExpensive: Bool?
    @Nullable var isConstrained: Bool?
    @Nullable var interfaceName: String?
    var timestamp: Date
    @Nullable var since: Date?
    @Nullable var downloadSpeedMbps: Double?
    @Nullable var uploadSpeedMbps: Double?
    @Nullable var latency: Double?
    @Nullable var online: Bool?
    var viewpoint: String
    var status: String
    @Nullable var unsatisfiedReason: String?
    @Nullable var internetState: String?
    /// The ongoing outage, else the last one; null before the first.
    @Nullable var outage: SnapshotOutage?
    @Nullable var underlay: String?
    var expensiveSource: String
    var constrainedSource: String
    @Nullable var qualitySource: String?
    @Nullable var measurementAgeSeconds: Double?
    /// The machine limited the measurement: the network carries at least its speeds.
    @Nullable var speedIsLowerBound: Bool?
    @Nullable var speedUncertaintyRatio: Double?
    @Nullable var jitterSeconds: Double?
    @Nullable var lossRatio: Double?
    /// What is wrong now, the nearest first; null where that is not known.
    @Nullable var faults: [FaultDocument]?
    /// The ways to the internet; null where they are not watched.
    @Nullable var uplinks: [UplinkDocument]?

    init(
        _ state: HealthState,
        latency measured: NetworkLatency? = nil,
        faults: [FaultDocument]? = nil,
        uplinks: [UplinkDocument]? = nil,
        at date: Date = .now
    ) {
        let snapshot = state.snapshot(at: date)
        quality = state.isSettling ? nil : snapshot.quality.rawValue
        connectionType = snapshot.connectionType.rawValue
        isExpensive = state.path.knownExpensive
        isConstrained = state.path.knownConstrained
        interfaceName = snapshot.interfaceName
        timestamp = snapshot.timestamp
        since = snapshot.since
        downloadSpeedMbps = snapshot.downloadSpeedMbps?.toFiveDigits
        uploadSpeedMbps = snapshot.uploadSpeedMbps?.toFiveDigits
        let decisive = state.assessment.measurement?.decisive
        measurementAgeSeconds = decisive?.age(at: date).toMicroseconds
        speedIsLowerBound = decisive?.isLowerBound
        speedUncertaintyRatio = decisive?.uncertainty.toFiveDigits
        latency = measured?.latency?.seconds.toMicroseconds
        jitterSeconds = measured?.jitter?.seconds.toMicroseconds
        lossRatio = measured?.lossRatio?.toFiveDigits
        (self.faults, self.uplinks) = (faults, uplinks)
        online = state.isOnline
        viewpoint = state.path.viewpoint.rawValue
        status = state.status.rawValue
        unsatisfiedReason = state.path.unsatisfiedReason?.rawValue
        internetState = state.internet?.state.rawValue
        outage = state.datedOutage.map(SnapshotOutage.init)
        underlay = state.path.underlay?.name
        expensiveSource = state.path.expensiveSource.rawValue
        constrainedSource = state.path.constrainedSource.rawValue
        qualitySource = state.isSettling ? nil : state.qualitySource.rawValue
    }
}
