import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// A snapshot as JSON: the fields of `NetworkSnapshot`, and what this exporter knows beside them; unknown is `null`.
struct SnapshotDocument: Encodable, Sendable {
    var quality: String
    var connectionType: String
    var isExpensive: Bool
    var isConstrained: Bool
    @Nullable var interfaceName: String?
    var timestamp: Date
    @Nullable var downloadSpeedMbps: Double?
    @Nullable var uploadSpeedMbps: Double?
    @Nullable var latency: Double?
    @Nullable var online: Bool?
    var status: String
    @Nullable var unsatisfiedReason: String?
    @Nullable var internetState: String?
    @Nullable var underlay: String?
    var expensiveSource: String
    var constrainedSource: String
    var qualitySource: String
    @Nullable var measurementAgeSeconds: Double?
    @Nullable var jitterSeconds: Double?
    @Nullable var lossRatio: Double?

    init(_ state: HealthState, latency measured: NetworkLatency? = nil, at date: Date = .now) {
        let snapshot = state.snapshot
        quality = snapshot.quality.rawValue
        connectionType = snapshot.connectionType.rawValue
        isExpensive = snapshot.isExpensive
        isConstrained = snapshot.isConstrained
        interfaceName = snapshot.interfaceName
        timestamp = snapshot.timestamp
        downloadSpeedMbps = snapshot.downloadSpeedMbps?.rounded(toPlaces: 3)
        uploadSpeedMbps = snapshot.uploadSpeedMbps?.rounded(toPlaces: 3)
        measurementAgeSeconds = state.assessment.measurement?.age(at: date).rounded(toPlaces: 3)
        latency = (measured?.latency?.seconds ?? snapshot.latency)?.rounded(toPlaces: 6)
        jitterSeconds = measured?.jitter?.seconds.rounded(toPlaces: 6)
        lossRatio = measured?.lossRatio?.rounded(toPlaces: 4)
        online = state.isOnline
        status = state.status.rawValue
        unsatisfiedReason = state.path.unsatisfiedReason?.rawValue
        internetState = state.internet?.state.rawValue
        underlay = state.path.underlay?.name
        expensiveSource = state.path.expensiveSource.rawValue
        constrainedSource = state.path.constrainedSource.rawValue
        qualitySource = state.qualitySource.rawValue
    }

    var json: [UInt8] { JSONDocument.encode(self) }
}
