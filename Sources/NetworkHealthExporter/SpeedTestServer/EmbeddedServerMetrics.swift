import PrometheusExposition
import SpeedTestCore
import Statistics

/// What others measure against this exporter; nothing while the server is off.
enum EmbeddedServerMetrics {
    static func families(_ statistics: EmbeddedServer.Statistics?) -> [MetricFamily] {
        guard let statistics else { return [] }
        return [
            .gauge(
                "network_health_embedded_server_active_transfers",
                help: "Downloads and uploads in progress on the embedded speed-test server.",
                samples: [Sample(statistics.activeTransfers)]
            ),
            .counter(
                "network_health_embedded_server_receive_bytes_total",
                help: "Bytes of uploads received by the embedded speed-test server.",
                samples: [Sample(statistics.bytes.received)]
            ),
            .counter(
                "network_health_embedded_server_transmit_bytes_total",
                help: "Bytes of downloads sent by the embedded speed-test server.",
                samples: [Sample(statistics.bytes.transmitted)]
            ),
            .counter(
                "network_health_embedded_server_rejected_total",
                help: "Requests refused and transfers aborted by the embedded speed-test server, by reason.",
                samples: ServerRefusal.Reason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], statistics.rejected[$0, default: 0])
                }
            ),
        ]
    }
}
