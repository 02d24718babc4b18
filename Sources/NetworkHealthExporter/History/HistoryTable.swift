import Storage

/// The table of one kind of row.
protocol HistoryTable: Sendable {
    associatedtype Row: HistoryRow

    /// The rows behind a place, at most `limit` that were looked at, in ascending time.
    static func page(
        after place: HistoryPlace,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> HistoryPage<Row>

    /// Removes what is older than that time, at most `limit` rows, and tells how many it removed.
    static func prune(before time: Double, limit: Int, in transaction: borrowing Transaction) throws(StorageError)
        -> Int
}
