import PrometheusExposition

/// How far the internet was in one minute; times are in seconds.
struct MinuteLatency: HistoryRow {
    /// When the minute began, in seconds since 1970.
    var at: Double
    var p50: Double?
    var p95: Double?
    /// The last one known.
    var jitter: Double?
    /// The last one known, from 0 to 1.
    var loss: Double?
}

extension MinuteLatency {
    static let columns = ["at", "p50", "p95", "jitter", "loss"]

    var fields: [String?] {
        let row = document
        return [row.at] + [row.p50, row.p95, row.jitter, row.loss].map { $0.map { "\($0)" } }
    }

    var document: Document { Document(self) }

    /// The same as JSON; unknown is `null`.
    struct Document: Encodable, Sendable {
        var at: String
        @Nullable var p50: Double?
        @Nullable var p95: Double?
        @Nullable var jitter: Double?
        @Nullable var loss: Double?

        init(_ row: MinuteLatency) {
            at = RFC3339.text(row.at)
            p50 = row.p50?.rounded(toPlaces: 6)
            p95 = row.p95?.rounded(toPlaces: 6)
            jitter = row.jitter?.rounded(toPlaces: 6)
            loss = row.loss?.rounded(toPlaces: 4)
        }
    }

    var families: [MetricFamily] { LatencyMetrics.history(self) }
}
