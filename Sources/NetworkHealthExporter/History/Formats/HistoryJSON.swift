/// The history as one array of objects.
enum HistoryJSON {
    static func print<Table: HistoryTable>(
        _ pages: HistoryPages<Table>,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        var isFirst = true
        try await pages.each { rows in
            // Without the brackets of the page.
            let objects = JSONDocument.encode(rows.map(\.document)).dropFirst().dropLast()
            try await write([UInt8(ascii: isFirst ? "[" : ",")] + objects)
            isFirst = false
        }
        try await write(Array((isFirst ? "[]" : "]").utf8))
    }
}
