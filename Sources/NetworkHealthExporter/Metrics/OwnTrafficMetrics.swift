import Probing
import PrometheusExposition

/// What this program costs.
enum OwnTrafficMetrics {
    /// Who sends and receives; the raw values are labels.
    enum Component: String, Sendable, CaseIterable {
        case internet, targets, speedtest, queue
    }

    private static let content =
        "payload of TCP with TLS, its handshakes and repeated segments; payload of UDP and ICMP; no headers below."

    static func families(_ traffic: [Component: Traffic]) -> [MetricFamily] {
        func samples(_ bytes: (Traffic) -> UInt64) -> [Sample] {
            Component.allCases.map {
                Sample(labels: ["component": $0.rawValue], bytes(traffic[$0, default: Traffic()]))
            }
        }
        return [
            .counter(
                "network_health_own_receive_bytes_total",
                help: "Bytes that this program itself received: \(content)",
                samples: samples(\.received)
            ),
            .counter(
                "network_health_own_transmit_bytes_total",
                help: "Bytes that this program itself sent: \(content)",
                samples: samples(\.sent)
            ),
        ]
    }
}
