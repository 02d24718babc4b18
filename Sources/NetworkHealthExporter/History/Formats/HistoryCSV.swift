/// The history as a table with a header (RFC 4180); unknown is an empty field.
enum HistoryCSV {
    static func print<Table: HistoryTable>(
        _ pages: HistoryPages<Table>,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        try await write(line(Table.Row.columns))
        try await pages.each { rows in
            try await write(rows.flatMap { line($0.fields) })
        }
    }

    private static func line(_ fields: [String?]) -> [UInt8] {
        var line = Array(fields.map { field($0 ?? "") }.joined(separator: [UInt8(ascii: ",")]))
        line += "\r\n".utf8
        return line
    }

    /// In quotes where it needs them; by bytes, since a character may hold a quote and an accent.
    private static func field(_ text: String) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return Array(text.utf8) }
        return [quote] + text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
}
