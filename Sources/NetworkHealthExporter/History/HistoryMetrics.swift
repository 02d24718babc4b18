import PrometheusExposition

/// What the history takes.
enum HistoryMetrics {
    static func families(bytes: Int64?) -> [MetricFamily] {
        [
            .gauge(
                "network_health_history_bytes",
                help:
                    "Bytes of the history's tables in the file of --storage.path, without it in memory, counted at the start and once an hour.",
                value: bytes.map(Double.init)
            )
        ]
    }
}
