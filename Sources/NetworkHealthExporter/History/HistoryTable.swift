import PrometheusExposition
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
        after cursor: HistoryCursor,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> HistoryPage<Row> {
        let rows = try transaction.rows(selection, cursor.parameters + [.integer(Int64(limit))])
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

/// One row of the history in the three forms that are told.
protocol HistoryRow: Sendable, Equatable {
    associatedtype Document: Encodable

    /// The names of the fields: the first line of CSV.
    static var columns: [String] { get }

    /// When it was so, in seconds since 1970.
    var at: Double { get }
    /// The values of the columns; nil is unknown.
    var fields: [String?] { get }
    /// For JSON.
    var document: Document { get }
    /// What `/metrics` said at that time: the same families in the same order for each row, empty where nothing was known.
    var families: [MetricFamily] { get }
}

/// The tables of the storage file, in the order in which they came to be; what was once released stays as it is.
enum Migrations {
    static let all = [
        SpeedTestHistory.migration, TransitionHistory.migration, LatencyHistory.migration, TransitionHistory.outages,
    ]
}
