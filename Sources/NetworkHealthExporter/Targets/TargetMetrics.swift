import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import PrometheusExposition
import Statistics

/// The configured targets, probed in the background at their own intervals.
enum TargetMetrics {
    private static let roundTripBounds = Histogram.Bounds(TargetStatistics.roundTripBounds)
    private static let roundTripModules = ProbeModules.names { $0.measuresRoundTrip }
    private static let durationModules = ProbeModules.names { !$0.measuresRoundTrip }
    private static let delayBounds = Histogram.Bounds(TargetMonitor.startDelayBounds)
    private static let durationBounds = Histogram.Bounds(TargetStatistics.durationBounds)

    /// What the series of a target are made of.
    ///
    /// A reference: each family goes through all targets, and to copy a report takes longer than to print a sample.
    private final class Row {
        let target: Target
        let statistics: TargetStatistics
        let lastProbes: Outcomes
        let name: Labels

        init(_ report: TargetReport) {
            (target, statistics) = (report.target, report.statistics)
            lastProbes = statistics.lastProbes
            name = ["target": report.target.name]
        }

        func name(_ name: String, _ value: String) -> Labels {
            var labels = self.name
            labels.append(name, value)
            return labels
        }

        var information: Labels {
            var labels = name("module", target.module)
            labels.append("device", statistics.lastResult?.device ?? target.interface ?? "")
            labels.append("family", (statistics.lastResult?.address?.family ?? target.family)?.rawValue ?? "")
            labels.append("method", statistics.lastResult?.method?.rawValue ?? "")
            for (name, value) in target.labels.sorted(by: { $0.key < $1.key }) { labels.append(name, value) }
            return labels
        }
    }

    static func families(_ reports: [TargetReport]) -> [MetricFamily] {
        guard !reports.isEmpty else { return [] }
        let rows = reports.map(Row.init)
        return states(rows) + counters(rows) + durations(rows) + windows(rows)
    }

    /// Empty before the first probe.
    static func delay(_ delay: DurationHistogram) -> [MetricFamily] {
        guard delay.counts.contains(where: { $0 > 0 }) else { return [] }
        return [
            .histogram(
                "network_health_target_start_delay_seconds",
                help: "Delay of the start of background probes of targets; high on a machine that is overloaded.",
                value: Histogram(delay, bounds: delayBounds)
            )
        ]
    }

    private static func states(_ rows: [Row]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_target_up",
                help:
                    "Whether the last background probe of the target succeeded; absent before the first, after three consecutive local failures, and for a router that answers no pings.",
                samples: rows.compactMap { row in
                    row.statistics.isUp.map { Sample(labels: row.name, $0) }
                }
            ),
            .gauge(
                "network_health_target_last_probe_timestamp_seconds",
                help: "Time of the end of the last background probe of the target; old while the target is paused.",
                samples: rows.compactMap { row in
                    row.statistics.lastProbedAt.map { Sample(labels: row.name, $0.timeIntervalSince1970) }
                }
            ),
            .info(
                "network_health_target_info",
                help: "The module of a target, the method of its last probe, and its configured labels.",
                labels: rows.map(\.information)
            ),
        ]
    }

    private static func counters(_ rows: [Row]) -> [MetricFamily] {
        [
            .counter(
                "network_health_target_probes_total",
                help: "Number of background probes of a target.",
                samples: rows.map { Sample(labels: $0.name, $0.statistics.probes) }
            ),
            .counter(
                "network_health_target_probe_failures_total",
                help:
                    "Number of failed background probes of a target, by reason; local: a limit of this machine, which is not a loss.",
                samples: rows.flatMap { row in
                    ProbeFailure.listed(row.target.failures, row.statistics.failures).map {
                        Sample(labels: row.name("reason", $0.rawValue), row.statistics.failures[$0, default: 0])
                    }
                }
            ),
            .counter(
                "network_health_target_skipped_total",
                help: "Number of probes of a target left out on an expensive or constrained path.",
                samples: rows.flatMap { row in
                    CostDecision.SkipReason.allCases.map {
                        Sample(labels: row.name("reason", $0.rawValue), row.statistics.skipped[$0, default: 0])
                    }
                }
            ),
            .counter(
                "network_health_target_late_replies_total",
                help: "Number of replies after the timeout; their probes stay lost.",
                samples: rows.map { Sample(labels: $0.name, $0.statistics.lateReplies) }
            ),
        ]
    }

    private static func durations(_ rows: [Row]) -> [MetricFamily] {
        [
            .histogram(
                "network_health_target_rtt_seconds",
                help:
                    "Round-trip time of successful probes of \(roundTripModules) targets, measured by the kernel.",
                samples: rows.filter(\.target.measuresRoundTrip).map {
                    HistogramSample(labels: $0.name, Histogram($0.statistics.latencies, bounds: roundTripBounds))
                }
            ),
            .histogram(
                "network_health_target_duration_seconds",
                help:
                    "Duration of successful probes of \(durationModules) targets.",
                samples: rows.filter { !$0.target.measuresRoundTrip }.map {
                    HistogramSample(labels: $0.name, Histogram($0.statistics.latencies, bounds: durationBounds))
                }
            ),
            .gauge(
                "network_health_target_phase_duration_seconds",
                help:
                    "Duration of each phase of the last probe of a target; which phases there are depends on its module.",
                samples: rows.flatMap { row in
                    (row.statistics.lastResult?.phases.byName ?? []).compactMap { phase, duration in
                        duration.map { Sample(labels: row.name("phase", phase), $0) }
                    }
                }
            ),
        ]
    }

    private static func windows(_ rows: [Row]) -> [MetricFamily] {
        func gauge<Value: MetricValueConvertible>(
            _ name: String,
            _ help: String,
            _ value: (Row) -> Value?
        ) -> MetricFamily {
            .gauge(
                name,
                help: help,
                samples: rows.compactMap { row in
                    value(row).map { Sample(labels: row.name, $0) }
                }
            )
        }
        return [
            gauge(
                "network_health_target_latency_seconds",
                "Median latency of the last 100 background probes of a target, without those of outages."
            ) {
                $0.lastProbes.median
            },
            gauge(
                "network_health_target_jitter_seconds",
                "Mean difference between consecutive latencies of the last 100 background probes of a target, without those of outages."
            ) {
                $0.lastProbes.jitter
            },
            gauge(
                "network_health_target_loss_ratio",
                "Share of failed probes among the last 100 background probes of a target, without local failures and those of outages; of tcp targets also of those whose SYN was sent again."
            ) {
                $0.lastProbes.lossRatio
            },
            gauge(
                "network_health_target_tls_not_after_timestamp_seconds",
                "Earliest expiry in the certificate chain of a target."
            ) { $0.statistics.lastResult?.certificateExpiry?.timeIntervalSince1970 },
        ]
    }
}
