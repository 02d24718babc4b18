import PrometheusExposition

/// What this binary is.
enum BuildMetrics {
    static func families() -> [MetricFamily] {
        [
            .info(
                "network_health_exporter_build_info",
                help:
                    "The version, revision and branch this exporter was built from, by which Swift, for what platform.",
                labels: [
                    "version": Version.number, "revision": Version.revision, "branch": Version.branch,
                    "swift_version": Version.swift, "os": Version.os, "arch": Version.architecture,
                ]
            )
        ]
    }
}
