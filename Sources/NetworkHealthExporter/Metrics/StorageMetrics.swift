import PrometheusExposition

/// Whether what is to outlive a restart can be stored; only with `--storage.path`.
enum StorageMetrics {
    static func families(isUp: Bool) -> [MetricFamily] {
        [
            .gauge(
                "network_health_storage_up",
                help: "Whether results, schedule and budget can be stored in the file of --storage.path.",
                value: isUp
            )
        ]
    }
}
