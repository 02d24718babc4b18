import Coordination
import FoundationEssentials
import NetworkHealth
import PrometheusExposition

/// How often and how long this host was offline, counted as it happens, between scrapes too.
enum OutageMetrics {
    private static let bounds = Histogram.Bounds(OutageTracker.durationBounds)

    /// What changes with an outage; the last one is that of an earlier process until there is one in this process.
    static func families(_ statistics: HealthStatistics?, saved: DatedOutage?) -> [MetricFamily] {
        counts(statistics) + last(statistics?.lastOutage ?? saved)
    }

    /// What was counted.
    static func counts(_ statistics: HealthStatistics?) -> [MetricFamily] {
        guard let statistics else { return [] }
        let outages = statistics.outages
        return [
            .counter(
                "network_health_outages_total",
                help: "Confirmed outages, by cause.",
                samples: OutageCause.allCases.map { Sample(labels: ["cause": $0.rawValue], outages.count($0)) }
            ),
            .histogram(
                "network_health_outage_duration_seconds",
                help: "Duration of outages, observed at the end of each.",
                value: Histogram(outages.durations, bounds: bounds)
            ),
            .gauge(
                "network_health_last_transition_timestamp_seconds",
                help:
                    "Time of the last transition of the network, as in the history and the log; absent before the first change.",
                value: statistics.lastTransition?.timeIntervalSince1970
            ),
        ]
    }

    /// The ongoing outage, else the last one; nothing before the first.
    static func last(_ outage: DatedOutage?) -> [MetricFamily] {
        [
            .gauge(
                "network_health_last_outage_start_timestamp_seconds",
                help: "Time of the first evidence of the last outage, as Unix time; absent before the first outage.",
                value: outage?.start
            ),
            .gauge(
                "network_health_last_outage_end_timestamp_seconds",
                help: "Time of the end of the last outage, as Unix time; absent while it lasts.",
                value: outage?.end
            ),
            .info(
                "network_health_last_outage_info",
                help: "The cause of the last outage, and the last place that was found for it.",
                labels: outage.map { ["cause": $0.cause.rawValue, "location": $0.location.rawValue] }
            ),
        ]
    }

    /// What changes with time.
    ///
    /// A container learns late when an outage of its host was over. A counter that fell would be a reset for Prometheus: it stands still
    /// until later outages of the cause make up for what it had too much.
    ///
    /// - Parameters:
    ///   - statistics: nil before the first complete state.
    ///   - now: the time.
    ///   - shown: what earlier scrapes have seen.
    /// - Returns: nothing before the first complete state.
    static func times(
        _ statistics: HealthStatistics?,
        at now: SuspendingClock.Instant,
        shown: Locked<[OutageCause: Duration]> = Locked([:])
    ) -> [MetricFamily] {
        guard let outages = statistics?.outages else { return [] }
        let offline = shown.withLock { shown in
            for cause in OutageCause.allCases {
                shown[cause] = max(shown[cause] ?? .zero, outages.offline(cause, at: now))
            }
            return shown
        }
        return [
            .counter(
                "network_health_offline_seconds_total",
                help: "Time spent offline, from the first evidence of each confirmed outage, by cause.",
                samples: causes.map { Sample(labels: $0.labels, offline[$0.cause] ?? .zero) }
            ),
            .counter(
                "network_health_monitored_seconds_total",
                help:
                    "Time observed, without suspend and without time in which the exporter did not run: the denominator of uptime.",
                value: outages.monitored(at: now)
            ),
        ]
    }

    private static let causes: [(cause: OutageCause, labels: Labels)] = OutageCause.allCases.map {
        ($0, ["cause": $0.rawValue])
    }
}
