import PrometheusExposition

/// The history as samples with their times, under the names of `/metrics`: for `promtool tsdb create-blocks-from`.
///
/// Every family is printed in a pass of its own over the rows, since its lines stand together.
enum HistoryOpenMetrics {
    static func print<Table: HistoryTable>(
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

    /// nil for a time that no clock shows.
    private static func milliseconds(_ seconds: Double) -> Int64? { Int64(exactly: (seconds * 1000).rounded()) }
}
