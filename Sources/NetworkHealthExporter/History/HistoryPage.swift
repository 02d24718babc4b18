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
