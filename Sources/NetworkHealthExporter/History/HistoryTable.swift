import PrometheusExposition
import Storage

/// One kind of row, which can be read page by page.
protocol HistorySelection: Sendable {
    associatedtype Row: HistoryRow

    /// The column of the time.
    static var time: String { get }
    /// Finds rows after the cursor of `?1` and `?2`, in ascending time, at most `?3`; each has an `id`.
    static var selection: String { get }

    /// nil for one that cannot be read.
    static func row(_ row: SQLRow) -> Row?
}

/// The table of one kind of row.
protocol HistoryTable: HistorySelection {
    /// Finds the time of the newest row.
    static var newest: String { get }
    /// Removes rows from before a time, at most so many.
    static var deletion: String { get }
}

extension HistorySelection {
    /// The rows after a cursor in ascending time, of the first `limit` rows those that can be read.
    static func page(
        after cursor: HistoryCursor,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> HistoryPage<Row> {
        let rows = try transaction.rows(selection, cursor.parameters + [.integer(Int64(limit))])
        return HistoryPage(rows, limit: limit, at: time, row)
    }
}

extension HistoryTable {
    /// Removes what is older than that time, at most `limit` rows, and returns how many it removed.
    static func prune(
        before time: Double,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Int {
        try transaction.run(deletion, [.real(time), .integer(Int64(limit))])
        return transaction.changes
    }
}

/// One row of the history in its three output formats.
protocol HistoryRow: Sendable, Equatable {
    associatedtype Document: Encodable

    /// The names of the fields: the first line of CSV.
    static var columns: [String] { get }

    /// The time, in seconds since 1970.
    var at: Double { get }
    /// The values of the columns; nil is unknown.
    var fields: [String?] { get }
    /// For JSON.
    var document: Document { get }
    /// The families of `/metrics` at that time: the same in the same order for each row, empty where nothing was known.
    var families: [MetricFamily] { get }
}
