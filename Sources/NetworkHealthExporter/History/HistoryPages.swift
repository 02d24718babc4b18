import Storage

/// The rows of a table from some time on, with those that wait to be written: read a page at a time, as often as wanted.
struct HistoryPages<Table: HistorySelection>: Sendable {
    typealias Row = Table.Row

    /// Rows of one page; the database is free between two pages.
    private static var limit: Int { 500 }

    private let database: Database
    private let first: HistoryPage<Row>
    private let waiting: [Row]

    /// Reads the first page; what waits is taken on the thread that writes, so that a row on its way into the table is in
    /// one of both.
    init(
        _ table: Table.Type,
        of database: Database,
        since time: Double,
        waiting: @escaping @Sendable () -> [Row] = { [] }
    ) async throws {
        self.database = database
        (first, self.waiting) = try await database.read { transaction in
            let page = try Table.page(after: HistoryCursor(at: time), limit: Self.limit, in: transaction)
            return (page, waiting().filter { $0.at >= time })
        }
    }

    /// Whether one page is all there is.
    var isShort: Bool { first.next == nil }

    /// Calls `body` with page after page, in ascending time; none is empty.
    func each(_ body: ([Row]) async throws -> Void) async throws {
        var waiting = waiting
        var page = first
        while true {
            // Written meanwhile.
            let rows = page.rows
            waiting.removeAll { rows.contains($0) }
            if !rows.isEmpty { try await body(rows) }
            guard let next = page.next else { break }
            page = try await database.read { transaction in
                try Table.page(after: next, limit: Self.limit, in: transaction)
            }
        }
        if !waiting.isEmpty { try await body(waiting) }
    }
}

/// Some rows of a table, and where the next ones begin.
struct HistoryPage<Row: Sendable>: Sendable {
    var rows: [Row]
    /// nil where these were the last.
    var next: HistoryCursor?

    /// The result of a statement with the limit `limit`; some rows may be unreadable.
    init(_ rows: [SQLRow], limit: Int, at time: String, _ read: (SQLRow) -> Row?) {
        self.rows = rows.compactMap(read)
        guard rows.count == limit, let last = rows.last else { return }
        next = HistoryCursor(at: last[time].real ?? .infinity, id: last["id"].integer ?? .max)
    }
}

/// A position in a table that is ordered by time: after a row.
struct HistoryCursor: Sendable, Equatable {
    /// Seconds since 1970.
    var at: Double
    /// Of rows with the same time.
    var id: Int64

    /// Before every row of that time.
    init(at: Double, id: Int64 = .min) {
        (self.at, self.id) = (at, id)
    }

    /// The values of `?1` and `?2` in statements.
    var parameters: [SQLValue] { [.real(at), .integer(id)] }
}
