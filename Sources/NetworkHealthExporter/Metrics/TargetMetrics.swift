import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import PrometheusExposition
import Statistics

/// The configured targets, probed in the background at their own intervals.
enum TargetMetrics {
    private static let roundTripBounds = Histogram.Bounds(TargetStatistics.roundTripBounds)
    private static let delayBounds = Histogram.Bounds(TargetMonitor.startDelayBounds)
    private static let durationBounds = Histogram.Bounds(TargetStatistics.durationBounds)

    static func families(_ reports: [TargetReport]) -> [MetricFamily] {
        guard !reports.isEmpty else { return [] }
        return states(reports) + counters(reports) + durations(reports) + windows(reports)
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

    private static func states(_ reports: [TargetReport]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_target_up",
                help:
                    "Whether the last background probe of the target succeeded; absent before the first, after three consecutive local failures, and for a router that answers no pings.",
                samples: reports.compactMap { report in
                    report.statistics.isUp.map { Sample(labels: report.name, $0) }
                }
            ),
            .gauge(
                "network_health_target_last_probe_timestamp_seconds",
                help: "Time of the end of the last background probe of the target; old while the target is paused.",
                samples: reports.compactMap { report in
                    report.statistics.lastProbedAt.map { Sample(labels: report.name, $0.timeIntervalSince1970) }
                }
            ),
            .info(
                "network_health_target_info",
                help: "The module of a target, the method of its last probe, and its configured labels.",
                labels: reports.map(\.information)
            ),
        ]
    }

    private static func counters(_ reports: [TargetReport]) -> [MetricFamily] {
        [
            .counter(
                "network_health_target_probes_total",
                help: "Number of background probes of a target.",
                samples: reports.map { Sample(labels: $0.name, $0.statistics.probes) }
            ),
            .counter(
                "network_health_target_probe_failures_total",
                help:
                    "Number of failed background probes of a target, by reason; local: a limit of this machine, which is not a loss.",
                samples: reports.flatMap { report in
                    ProbeFailure.listed(report.target.failures, report.statistics.failures).map {
                        Sample(labels: report.name("reason", $0.rawValue), report.statistics.failures[$0, default: 0])
                    }
                }
            ),
            .counter(
                "network_health_target_skipped_total",
                help: "Number of probes of a target left out on an expensive or constrained path.",
                samples: reports.flatMap { report in
                    CostDecision.SkipReason.allCases.map {
                        Sample(labels: report.name("reason", $0.rawValue), report.statistics.skipped[$0, default: 0])
                    }
                }
            ),
            .counter(
                "network_health_target_late_replies_total",
                help: "Number of replies after the timeout; their probes stay lost.",
                samples: reports.map { Sample(labels: $0.name, $0.statistics.lateReplies) }
            ),
        ]
    }

    private static func durations(_ reports: [TargetReport]) -> [MetricFamily] {
        [
            .histogram(
                "network_health_target_rtt_seconds",
                help:
                    "Round-trip time of successful probes of \(ProbeModules.names { $0.measuresRoundTrip }) targets, measured by the kernel.",
                samples: reports.filter(\.target.measuresRoundTrip).map {
                    HistogramSample(labels: $0.name, Histogram($0.statistics.latencies, bounds: roundTripBounds))
                }
            ),
            .histogram(
                "network_health_target_duration_seconds",
                help:
                    "Duration of successful probes of \(ProbeModules.names { !$0.measuresRoundTrip }) targets.",
                samples: reports.filter { !$0.target.measuresRoundTrip }.map {
                    HistogramSample(labels: $0.name, Histogram($0.statistics.latencies, bounds: durationBounds))
                }
            ),
            .gauge(
                "network_health_target_phase_duration_seconds",
                help:
                    "Duration of each phase of the last probe of a target; which phases there are depends on its module.",
                samples: reports.flatMap { report in
                    (report.statistics.lastResult?.phases.byName ?? []).compactMap { phase, duration in
                        duration.map { Sample(labels: ["target": report.target.name, "phase": phase], $0) }
                    }
                }
            ),
        ]
    }

    private static func windows(_ reports: [TargetReport]) -> [MetricFamily] {
        func gauge<Value: MetricValueConvertible>(
            _ name: String,
            _ help: String,
            _ value: (TargetStatistics) -> Value?
        ) -> MetricFamily {
            .gauge(
                name,
                help: help,
                samples: reports.compactMap { report in
                    value(report.statistics).map { Sample(labels: report.name, $0) }
                }
            )
        }
        return [
            gauge(
                "network_health_target_latency_seconds",
                "Median latency of the last 100 background probes of a target."
            ) {
                $0.lastProbes.median
            },
            gauge(
                "network_health_target_jitter_seconds",
                "Mean difference between consecutive latencies of the last 100 background probes of a target."
            ) {
                $0.lastProbes.jitter
            },
            gauge(
                "network_health_target_loss_ratio",
                "Share of failed probes among the last 100 background probes of a target, without local failures."
            ) {
                $0.lastProbes.lossRatio
            },
            gauge(
                "network_health_target_tls_not_after_timestamp_seconds",
                "Earliest expiry in the certificate chain of a target."
            ) { $0.lastResult?.certificateExpiry?.timeIntervalSince1970 },
        ]
    }
}

extension TargetReport {
    fileprivate var name: Labels { ["target": target.name] }

    fileprivate func name(_ name: String, _ value: String) -> Labels {
        var labels = self.name
        labels.append(name, value)
        return labels
    }

    fileprivate var information: Labels {
        var labels: Labels = ["target": target.name, "module": target.module]
        labels.append("device", statistics.lastResult?.device ?? target.interface ?? "")
        labels.append("family", (statistics.lastResult?.address?.family ?? target.family)?.rawValue ?? "")
        labels.append("method", statistics.lastResult?.method?.rawValue ?? "")
        for (name, value) in target.labels.sorted(by: { $0.key < $1.key }) { labels.append(name, value) }
        return labels
    }
}
