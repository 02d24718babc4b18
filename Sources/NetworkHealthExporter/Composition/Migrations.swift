import OfflineQueue
import Storage

/// The tables of the storage file, in the order of their introduction; a released migration is never changed.
enum Migrations {
    static let all =
        [
            SpeedTestHistory.migration, TransitionHistory.migration, LatencyHistory.migration,
            TransitionHistory.outages,
            TransitionHistory.words, SpeedTestHistory.uplinks,
        ] + RequestQueue.migrations + [
            UptimeHistory.migration, OngoingOutage.migration, GapHistory.migration, OutageHistory.places,
            LatencyHistory.hours, PointHistory.migration,
        ]
}
