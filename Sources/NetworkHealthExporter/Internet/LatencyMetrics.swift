import Probing
import PrometheusExposition
import Statistics

/// The latency, jitter and loss of the network, by the best source.
enum LatencyMetrics {
    private static let bounds = Histogram.Bounds(PassiveStatistics.rttBounds)

    static func network(_ latency: NetworkLatency?) -> [MetricFamily] {
        [
            .gauge(
                latencyName,
                help:
                    "Network latency over the last five minutes: the median of the targets that count for it, else of the connections of internet checks, else of live TCP flows; absent after 15 minutes without a sample.",
                value: latency?.latency.map { $0 / .seconds(1) }
            ),
            .gauge(
                jitterName,
                help:
                    "Network jitter over the last five minutes, from the same source; absent with fewer than ten samples, and if only live TCP flows are known.",
                value: latency?.jitter.map { $0 / .seconds(1) }
            ),
            .gauge(
                lossName,
                help:
                    "Network packet loss outside of outages: of the last 100 packets of at most 30 minutes to each icmp target that counts for the latency, without one to each tcp target; absent below 60 packets.",
                value: latency?.lossRatio
            ),
        ]
    }

    /// One row of the history, with its 95th percentile; `/metrics` has no minutes.
    static func history(_ row: LatencyRow) -> [MetricFamily] {
        [
            .gauge(latencyName, help: "Network latency: the median of the probes of one row.", value: row.p50),
            .gauge(
                jitterName,
                help: "Network jitter: the mean difference between consecutive probes of one row.",
                value: row.jitter
            ),
            .gauge(lossName, help: "Network packet loss: the share of the packets of one row.", value: row.loss),
            .gauge(
                "network_health_latency_p95_seconds",
                help: "Network latency: the 95th percentile of the probes of one row.",
                value: row.p95
            ),
        ]
    }

    private static let latencyName = "network_health_latency_seconds"
    private static let jitterName = "network_health_jitter_seconds"
    private static let lossName = "network_health_loss_ratio"

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
