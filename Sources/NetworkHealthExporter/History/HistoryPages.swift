import Storage

/// The rows of a table from some time on, with those that wait to be written: read a page at a time, as often as wanted.
struct HistoryPages<Table: HistoryTable>: Sendable {
    typealias Row = Table.Row

    /// Rows of one page; between two others get at the database.
    private static var limit: Int { 500 }

    private let database: Database
    private let first: HistoryPage<Row>
    private let waiting: [Row]

    /// Reads the first page; what waits is taken before, so that a row on its way into the table is in one of both.
    init(_ table: Table.Type, of database: Database, since time: Double, waiting: [Row] = []) async throws {
        self.database = database
        self.waiting = waiting.filter { $0.at >= time }
        first = try await database.read { transaction in
            try Table.page(after: HistoryPlace(at: time), limit: Self.limit, in: transaction)
        }
    }

    /// Whether one page is all there is.
    var isShort: Bool { first.next == nil }

    /// Hands over page after page, in ascending time; none is empty.
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
