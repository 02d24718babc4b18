/// What a family's samples mean to Prometheus.
public enum MetricType: Sendable, Hashable {
    /// A value that goes up and down.
    case gauge
    /// A value that only grows; its name ends in `_total`.
    case counter
    /// Observations counted in buckets.
    case histogram
    /// A value whose meaning is not known; text 0.0.4 calls it `untyped`.
    case unknown
}
