import FoundationEssentials
import PrometheusExposition

/// How the last reading of the configuration file went.
enum ConfigurationMetrics {
    static func families(_ outcome: ReloadOutcome) -> [MetricFamily] {
        [
            .gauge(
                "network_health_exporter_config_last_reload_successful",
                help: "Whether the last attempt to read the configuration succeeded.",
                value: outcome.wasSuccessful
            ),
            .gauge(
                "network_health_exporter_config_last_reload_success_timestamp_seconds",
                help: "Time of the last successful read of the configuration.",
                value: outcome.lastSuccess.timeIntervalSince1970
            ),
        ]
    }
}
