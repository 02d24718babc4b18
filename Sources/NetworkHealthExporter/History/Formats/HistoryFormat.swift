import PrometheusExposition

/// The forms in which the history is told.
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
    func print<Table: HistoryTable>(
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
