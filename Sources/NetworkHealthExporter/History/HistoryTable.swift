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

/// The table of one kind of row, from which old rows are removed.
protocol HistoryTable: HistorySelection {
    /// Its name, in quotes where it is a word of SQL.
    static var name: String { get }
    /// The column that identifies a row, and grows.
    static var key: String { get }
    /// Rows that are kept at most, whatever their age: all tables together stay below 50 MB.
    static var limit: Int64 { get }
    /// Finds the keys of rows that are never removed; nil: there are none.
    static var kept: String? { get }
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
    static var key: String { "id" }
    static var kept: String? { nil }

    /// Finds the time of the newest row.
    static var newest: String { "SELECT max(\(time)) FROM \(name)" }

    /// Removes what is older than that time, at most `batch` rows, and returns how many it removed.
    static func prune(
        before time: Double,
        batch: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Int {
        try remove("\(Self.time) < ?", .real(time), batch, in: transaction)
    }

    /// Removes the oldest rows beyond `limit`, at most `batch` of them, and returns how many it removed.
    static func prune(
        beyond limit: Int64,
        batch: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Int {
        let beyond = "\(key) <= (SELECT \(key) FROM \(name) ORDER BY \(key) DESC LIMIT 1 OFFSET ?)"
        return try remove(beyond, .integer(limit), batch, in: transaction)
    }

    private static func remove(
        _ condition: String,
        _ value: SQLValue,
        _ batch: Int,
        in transaction: borrowing Transaction
    ) throws(StorageError) -> Int {
        let others = kept.map { " AND \(key) NOT IN (\($0))" } ?? ""
        try transaction.run(
            "DELETE FROM \(name) WHERE \(key) IN (SELECT \(key) FROM \(name) WHERE \(condition)\(others) LIMIT ?)",
            [value, .integer(Int64(batch))]
        )
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
