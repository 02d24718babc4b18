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

    var fields: [String?] { [RFC3339.text(at)] + [p50, p95, jitter, loss].map { $0.map { "\($0)" } } }

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
            (p50, p95) = (row.p50?.toMicroseconds, row.p95?.toMicroseconds)
            (jitter, loss) = (row.jitter?.toMicroseconds, row.loss?.toFiveDigits)
        }
    }

    var families: [MetricFamily] { LatencyMetrics.history(self) }
}
