import PrometheusExposition

/// One subject of `/metrics`: reads what is in memory and returns its families.
struct Collector: Sendable {
    /// The label `collector` of its duration and success.
    let name: String
    let families: @Sendable () throws -> [MetricFamily]

    init(_ name: String, _ families: @escaping @Sendable () throws -> [MetricFamily]) {
        self.name = name
        self.families = families
    }
}
