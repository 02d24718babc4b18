import OfflineQueue
import Storage

extension Schema {
    /// The tables of the storage file; a change of one needs the next version, and of a released version a migration.
    static let exporter = Schema(
        version: 2,
        tables: [
            SpeedTestHistory.definition, TransitionHistory.definition, OngoingOutage.definition,
            UplinkOutageHistory.definition, LatencyHistory.definition, PointHistory.definition, GapHistory.definition,
            UptimeHistory.definition,
            RequestQueue.definition,
        ]
    )
}
