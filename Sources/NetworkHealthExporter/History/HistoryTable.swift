import Storage

/// The table of one kind of row.
protocol HistoryTable: Sendable {
    associatedtype Row: HistoryRow

    /// The column of the time.
    static var time: String { get }
    /// Finds the time of the newest row.
    static var newest: String { get }
    /// Finds rows behind the place of `?1` and `?2`, in ascending time, at most `?3`; each has an `id`.
    static var selection: String { get }
    /// Removes rows from before a time, at most so many.
    static var deletion: String { get }

    /// nil for one that cannot be read.
    static func row(_ row: SQLRow) -> Row?
}

extension HistoryTable {
    /// The rows behind a place, at most `limit` that were looked at, in ascending time.
    static func page(
        after place: HistoryPlace,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> HistoryPage<Row> {
        let rows = try transaction.rows(selection, place.parameters + [.integer(Int64(limit))])
        return HistoryPage(rows, limit: limit, at: time, row)
    }

    /// Removes what is older than that time, at most `limit` rows, and tells how many it removed.
    static func prune(
        before time: Double,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Int {
        try transaction.run(deletion, [.real(time), .integer(Int64(limit))])
        return transaction.changes
    }
}
