import Storage

/// The tables of the storage file, in the order in which they came to be; what was once released stays as it is.
enum Migrations {
    static let all = [
        SpeedTestHistory.migration, TransitionHistory.migration, LatencyHistory.migration, TransitionHistory.outages,
    ]
}
