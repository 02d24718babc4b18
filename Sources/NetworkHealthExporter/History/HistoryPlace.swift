import Storage

/// A place between two rows of a table that is in the order of time: behind a row.
struct HistoryPlace: Sendable, Equatable {
    /// Seconds since 1970.
    var at: Double
    /// Of rows with the same time.
    var id: Int64

    /// Before every row of that time.
    init(at: Double, id: Int64 = .min) {
        (self.at, self.id) = (at, id)
    }

    /// What statements take in the place of `?1` and `?2`.
    var parameters: [SQLValue] { [.real(at), .integer(id)] }
}
