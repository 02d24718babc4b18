import PrometheusExposition

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
