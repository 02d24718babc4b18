import NetworkHealth
import NetworkPath
import PrometheusExposition
import Statistics

/// The path monitor itself: its events, its published changes, and their delays.
enum MonitorMetrics {
    struct Facts: Sendable, Equatable {
        var statistics: PathStatistics
        /// nil before the first complete evaluation.
        var deliverDelay: DurationHistogram?
        /// nil where none is followed.
        var isHostExporterUp: Bool?
    }

    private static let bounds = Histogram.Bounds(PathStatistics.delayBounds)

    static func families(_ facts: Facts) -> [MetricFamily] {
        let statistics = facts.statistics
        let delays = [("settle", statistics.settleDelay), ("deliver", facts.deliverDelay)]
        let backends = [
            ("netlink", Optional(statistics.isNetlinkUp)), ("networkmanager", statistics.isNetworkManagerUp),
            ("host", facts.isHostExporterUp),
        ]
        return [
            .counter(
                "network_health_path_changes_total",
                help: "Published changes of the path, by the field that changed.",
                samples: PathUpdate.Field.allCases.map {
                    Sample(labels: ["field": $0.rawValue], statistics.changes[$0, default: 0])
                }
            ),
            .counter(
                "network_health_path_raw_events_total",
                help: "Messages from the kernel and from NetworkManager, before they settle into changes.",
                samples: PathStatistics.RawEvent.allCases.map {
                    Sample(labels: ["kind": $0.rawValue], statistics.rawEvents[$0, default: 0])
                }
            ),
            .histogram(
                "network_health_path_event_delay_seconds",
                help:
                    "Delay from a change's first event to its publication (settle), and from there to the state (deliver).",
                samples: delays.compactMap { stage, delay in
                    delay.map { HistogramSample(labels: ["stage": stage], Histogram($0, bounds: Self.bounds)) }
                }
            ),
            .counter(
                "network_health_netlink_resyncs_total",
                help: "Complete re-reads of the kernel's state, by reason.",
                samples: PathStatistics.Resync.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], statistics.resyncs[$0, default: 0])
                }
            ),
            .counter(
                "network_health_netlink_drift_total",
                help: "Periodic checks that found a state which no event had reported; should stay 0.",
                value: statistics.drift
            ),
            .gauge(
                "network_health_monitor_backend_up",
                help: "Whether a source of facts can be read.",
                samples: backends.compactMap { backend, isUp in
                    isUp.map { Sample(labels: ["backend": backend], $0) }
                }
            ),
        ]
    }
}

extension MonitorMetrics.Facts {
    init(_ host: HostMonitor, isHostExporterUp: Bool?) {
        self.init(
            statistics: host.path.statistics,
            deliverDelay: host.health.statistics?.deliverDelay,
            isHostExporterUp: isHostExporterUp
        )
    }
}

extension Histogram {
    /// The monitor's own histogram as a metric; its bounds are handed in as made, since printing them takes time.
    init(_ durations: DurationHistogram, bounds: Bounds) {
        self.init(bounds: bounds, counts: durations.counts, sum: durations.sum)
    }
}
