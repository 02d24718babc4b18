import FoundationEssentials
import NetworkHealth
import PrometheusExposition

/// How often and how long this host was offline, counted as it happens, between scrapes too.
enum OutageMetrics {
    private static let bounds = Histogram.Bounds(OutageTracker.durationBounds)

    static func families(_ account: HealthAccount?, at now: SuspendingClock.Instant) -> [MetricFamily] {
        guard let account else { return [] }
        let outages = account.outages
        return [
            .counter(
                "network_health_outages_total",
                help: "Confirmed outages, by what they were put down to.",
                samples: OutageCause.allCases.map { Sample(labels: ["cause": $0.rawValue], outages.count($0)) }
            ),
            .counter(
                "network_health_offline_seconds_total",
                help: "Time spent offline, from the first evidence of each confirmed outage on.",
                samples: OutageCause.allCases.map {
                    Sample(labels: ["cause": $0.rawValue], outages.offline($0, at: now))
                }
            ),
            .histogram(
                "network_health_outage_duration_seconds",
                help: "How long outages took, counted at the end of each.",
                value: Histogram(outages.durations, bounds: bounds)
            ),
            .counter(
                "network_health_monitored_seconds_total",
                help: "Time observed, suspend excluded: the denominator of uptime.",
                value: outages.monitored(at: now)
            ),
            .gauge(
                "network_health_last_transition_timestamp_seconds",
                help: "When the status of the path last changed.",
                value: account.lastTransition?.timeIntervalSince1970
            ),
        ]
    }
}
