import Probing
import PrometheusExposition
import Statistics

/// How far the internet is: the network's own values, whoever measured them.
enum LatencyMetrics {
    private static let bounds = Histogram.Bounds(PassiveStatistics.rttBounds)

    static func network(_ latency: NetworkLatency?) -> [MetricFamily] {
        network(
            latency: latency?.latency.map { $0 / .seconds(1) },
            jitter: latency?.jitter.map { $0 / .seconds(1) },
            loss: latency?.lossRatio
        )
    }

    /// A minute of the past, with its 95th percentile beside the median; `/metrics` has no minutes.
    static func history(_ minute: MinuteLatency) -> [MetricFamily] {
        network(latency: minute.p50, jitter: minute.jitter, loss: minute.loss) + [
            .gauge(
                "network_health_latency_p95_seconds",
                help: "The network's latency: the 95th percentile of the single probes of a minute.",
                value: minute.p95
            )
        ]
    }

    private static func network(latency: Double?, jitter: Double?, loss: Double?) -> [MetricFamily] {
        [
            .gauge(
                "network_health_latency_seconds",
                help:
                    "The network's latency: the median of the targets that are not the gateway, else of the internet probes' connections, else of live TCP flows.",
                value: latency
            ),
            .gauge(
                "network_health_jitter_seconds",
                help: "The network's jitter, from the same source; absent where only live TCP flows tell.",
                value: jitter
            ),
            .gauge(
                "network_health_loss_ratio",
                help: "The network's loss, from the same source; absent where only live TCP flows tell.",
                value: loss
            ),
        ]
    }

    static func passive(_ statistics: PassiveStatistics) -> [MetricFamily] {
        [
            .histogram(
                "network_health_passive_rtt_seconds",
                help: "The kernel's round trips of live TCP flows to global peers, read every 20 s; nothing is sent.",
                value: Histogram(statistics.rtt, bounds: bounds)
            )
        ]
    }
}
