import Storage

/// Some rows of a table, and where the next ones begin.
struct HistoryPage<Row: Sendable>: Sendable {
    var rows: [Row]
    /// nil where these were the last.
    var next: HistoryPlace?

    /// What a statement found that was told to find at most `limit` rows; some may be unreadable.
    init(_ rows: [SQLRow], limit: Int, at time: String, _ read: (SQLRow) -> Row?) {
        self.rows = rows.compactMap(read)
        guard rows.count == limit, let last = rows.last else { return }
        next = HistoryPlace(at: last[time].real ?? .infinity, id: last["id"].integer ?? .max)
    }
}

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
