import PrometheusExposition

/// The output formats of the history.
enum HistoryFormat: String, Sendable, CaseIterable {
    case json, csv, openmetrics

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .openmetrics: ExpositionFormat.openMetrics.contentType
        }
    }

    /// Prints the rows, part by part.
    func print<Table: HistorySelection>(
        _ pages: HistoryPages<Table>,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        switch self {
        case .json: try await HistoryJSON.print(pages, to: write)
        case .csv: try await HistoryCSV.print(pages, to: write)
        case .openmetrics: try await HistoryOpenMetrics.print(pages, to: write)
        }
    }
}

/// The history as one array of objects.
enum HistoryJSON {
    static func print<Table: HistorySelection>(
        _ pages: HistoryPages<Table>,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        var isFirst = true
        try await pages.each { rows in
            // Without the brackets of the page.
            let objects = rows.map(\.document).json.dropFirst().dropLast()
            try await write([UInt8(ascii: isFirst ? "[" : ",")] + objects)
            isFirst = false
        }
        try await write(Array((isFirst ? "[]" : "]").utf8))
    }
}

/// The history as a table with a header (RFC 4180); unknown is an empty field.
enum HistoryCSV {
    static func print<Table: HistorySelection>(
        _ pages: HistoryPages<Table>,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        try await write(line(Table.Row.columns))
        try await pages.each { rows in
            try await write(rows.flatMap { line($0.fields) })
        }
    }

    static func line(_ fields: [String?]) -> [UInt8] {
        var line = Array(fields.map { field($0 ?? "") }.joined(separator: [UInt8(ascii: ",")]))
        line += "\r\n".utf8
        return line
    }

    /// In quotes where needed; by bytes, since a character may consist of a quote and an accent.
    private static func field(_ text: String) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return Array(text.utf8) }
        return [quote] + text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
}

/// The history as samples with their times, under the names of `/metrics`: for `promtool tsdb create-blocks-from`.
///
/// Each family is printed in a pass of its own over the rows, since its lines must be together.
enum HistoryOpenMetrics {
    static func print<Table: HistorySelection>(
        _ pages: HistoryPages<Table>,
        to write: ([UInt8]) async throws -> Void
    ) async throws {
        var count = 1
        var index = 0
        while index < count {
            var family = TimedFamily()
            try await pages.each { rows in
                var bytes: [UInt8] = []
                for row in rows {
                    let families = row.families
                    count = families.count
                    guard let milliseconds = milliseconds(row.at), index < count else { continue }
                    bytes += family.add(families[index], at: milliseconds)
                }
                if !bytes.isEmpty { try await write(bytes) }
            }
            for bytes in family.end() { try await write(bytes) }
            index += 1
        }
        try await write(TimedExposition.end)
    }

    /// nil for a number that is no time.
    private static func milliseconds(_ seconds: Double) -> Int64? { Int64(exactly: (seconds * 1000).rounded()) }
}
