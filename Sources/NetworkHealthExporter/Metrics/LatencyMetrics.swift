import Probing
import PrometheusExposition
import Statistics

/// The latency, jitter and loss of the network, by the best source.
enum LatencyMetrics {
    private static let bounds = Histogram.Bounds(PassiveStatistics.rttBounds)

    static func network(_ latency: NetworkLatency?) -> [MetricFamily] {
        network(
            latency: latency?.latency.map { $0 / .seconds(1) },
            jitter: latency?.jitter.map { $0 / .seconds(1) },
            loss: latency?.lossRatio
        )
    }

    /// One minute of the history, with its 95th percentile; `/metrics` has no minutes.
    static func history(_ minute: MinuteLatency) -> [MetricFamily] {
        network(latency: minute.p50, jitter: minute.jitter, loss: minute.loss) + [
            .gauge(
                "network_health_latency_p95_seconds",
                help: "Network latency: the 95th percentile of the probes of one minute.",
                value: minute.p95
            )
        ]
    }

    private static func network(latency: Double?, jitter: Double?, loss: Double?) -> [MetricFamily] {
        [
            .gauge(
                "network_health_latency_seconds",
                help:
                    "Network latency: the median of the targets other than the gateway, else of the connections of internet checks, else of live TCP flows.",
                value: latency
            ),
            .gauge(
                "network_health_jitter_seconds",
                help: "Network jitter, from the same source; absent if only live TCP flows are known.",
                value: jitter
            ),
            .gauge(
                "network_health_loss_ratio",
                help: "Network packet loss, from the same source; absent if only live TCP flows are known.",
                value: loss
            ),
        ]
    }

    static func passive(_ statistics: PassiveStatistics) -> [MetricFamily] {
        [
            .histogram(
                "network_health_passive_rtt_seconds",
                help:
                    "Round-trip time of live TCP flows to global peers, measured by the kernel, read every 20 s without sending.",
                value: Histogram(statistics.rtt, bounds: bounds)
            )
        ]
    }
}
