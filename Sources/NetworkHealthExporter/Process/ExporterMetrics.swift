import PrometheusExposition
import Statistics

/// What this binary is.
enum BuildMetrics {
    static func families() -> [MetricFamily] {
        [
            .info(
                "network_health_exporter_build_info",
                help:
                    "A metric with a constant 1 value, labeled by the version, revision and branch of the exporter, the Swift version, and the platform.",
                labels: [
                    "version": Version.number, "revision": Version.revision, "branch": Version.branch,
                    "swift_version": Version.swift, "os": Version.os, "arch": Version.architecture,
                ]
            )
        ]
    }
}

/// Whether what is to outlive a restart can be stored; only with `--storage.path`.
enum StorageMetrics {
    static func families(isUp: Bool) -> [MetricFamily] {
        [
            .gauge(
                "network_health_storage_up",
                help: "Whether results, schedule and budget can be written to the file of --storage.path.",
                value: isUp
            )
        ]
    }
}

/// What this program costs.
enum OwnTrafficMetrics {
    /// Who sends and receives; the raw values are labels.
    enum Component: String, Sendable, CaseIterable {
        case internet, targets, hops, uplinks, speedtest, queue
    }

    private static let content =
        "TCP payload, including TLS, handshakes and retransmitted segments, and UDP and ICMP payload, without lower headers; of hops, uplinks and speed tests IP packets."

    static func families(_ traffic: [Component: ByteCounts]) -> [MetricFamily] {
        func samples(_ bytes: (ByteCounts) -> UInt64) -> [Sample] {
            Component.allCases.map {
                Sample(labels: ["component": $0.rawValue], bytes(traffic[$0, default: ByteCounts()]))
            }
        }
        return [
            .counter(
                "network_health_exporter_receive_bytes_total",
                help: "Bytes received by the exporter itself: \(content)",
                samples: samples(\.received)
            ),
            .counter(
                "network_health_exporter_transmit_bytes_total",
                help: "Bytes sent by the exporter itself: \(content)",
                samples: samples(\.transmitted)
            ),
        ]
    }
}
