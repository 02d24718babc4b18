import PrometheusExposition
import SpeedTestCore

/// What others measure against this exporter; nothing while the server is off.
enum EmbeddedServerMetrics {
    static func families(_ statistics: EmbeddedServer.Statistics?) -> [MetricFamily] {
        guard let statistics else { return [] }
        return [
            .gauge(
                "network_health_embedded_server_active_transfers",
                help: "Downloads and uploads of the embedded speed-test server in progress.",
                samples: [Sample(statistics.activeTransfers)]
            ),
            .counter(
                "network_health_embedded_server_received_bytes_total",
                help: "Bytes of uploads that the embedded speed-test server received.",
                samples: [Sample(statistics.received)]
            ),
            .counter(
                "network_health_embedded_server_transmitted_bytes_total",
                help: "Bytes of downloads that the embedded speed-test server sent.",
                samples: [Sample(statistics.transmitted)]
            ),
            .counter(
                "network_health_embedded_server_rejected_total",
                help: "Requests that the embedded speed-test server refused, and transfers that it ended, by reason.",
                samples: ServerRefusal.Reason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], statistics.rejected[$0, default: 0])
                }
            ),
        ]
    }
}
