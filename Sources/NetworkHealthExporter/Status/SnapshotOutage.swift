import NetworkHealth

/// The ongoing outage of a snapshot, else the last one.
struct SnapshotOutage: Codable, Sendable, Equatable {
    /// When its first evidence arrived, to the millisecond.
    var startedAt: String
    /// When the first evidence of its end arrived; null while it is ongoing.
    @Nullable var endedAt: String?
    /// As known when it was confirmed.
    var cause: String
    /// The last place that was found while it lasted.
    var location: String

    init(_ outage: DatedOutage) {
        startedAt = RFC3339.text(outage.start, milliseconds: true)
        endedAt = outage.end.map { RFC3339.text($0, milliseconds: true) }
        (cause, location) = (outage.cause.rawValue, outage.location.rawValue)
    }
}
