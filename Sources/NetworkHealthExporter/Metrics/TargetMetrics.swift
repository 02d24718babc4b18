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

    /// Whether this machine keeps up; nothing before the first probe.
    static func delay(_ delay: DurationHistogram) -> [MetricFamily] {
        guard delay.counts.contains(where: { $0 > 0 }) else { return [] }
        return [
            .histogram(
                "network_health_target_start_delay_seconds",
                help: "How late background probes of targets started: a machine that is too busy shows here.",
                value: Histogram(delay, bounds: delayBounds)
            )
        ]
    }

    private static func states(_ reports: [TargetReport]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_target_up",
                help:
                    "Whether the last background probe of the target succeeded; absent before the first, and when this machine's own limits ended the last three.",
                samples: reports.compactMap { report in
                    report.statistics.isUp.map { Sample(labels: report.labels, $0) }
                }
            ),
            .gauge(
                "network_health_target_last_probe_timestamp_seconds",
                help: "When the last background probe of the target ended: an old one says that it rests.",
                samples: reports.compactMap { report in
                    report.statistics.lastProbedAt.map { Sample(labels: report.labels, $0.timeIntervalSince1970) }
                }
            ),
            .info(
                "network_health_target_info",
                help: "What a target is, how its last probe was made, and its own labels.",
                labels: reports.map(\.information)
            ),
        ]
    }

    private static func counters(_ reports: [TargetReport]) -> [MetricFamily] {
        [
            .counter(
                "network_health_target_probes_total",
                help: "Background probes of a target.",
                samples: reports.map { Sample(labels: $0.labels, $0.statistics.probes) }
            ),
            .counter(
                "network_health_target_probe_failures_total",
                help:
                    "Background probes of a target that failed, by reason; local: this machine's own limit, which is no loss.",
                samples: reports.flatMap { report in
                    ProbeFailure.allCases.map {
                        Sample(labels: report.labels("reason", $0.rawValue), report.statistics.failures[$0, default: 0])
                    }
                }
            ),
            .counter(
                "network_health_target_skipped_total",
                help: "Probes of a target that were left out to save money or data.",
                samples: reports.flatMap { report in
                    CostDecision.SkipReason.allCases.map {
                        Sample(labels: report.labels("reason", $0.rawValue), report.statistics.skipped[$0, default: 0])
                    }
                }
            ),
            .counter(
                "network_health_target_late_replies_total",
                help: "Replies that came after the time-out: their probes stay counted as lost.",
                samples: reports.map { Sample(labels: $0.labels, $0.statistics.lateReplies) }
            ),
        ]
    }

    private static func durations(_ reports: [TargetReport]) -> [MetricFamily] {
        [
            .histogram(
                "network_health_target_rtt_seconds",
                help: "Round trips of icmp and tcp targets, as the kernel measured them.",
                samples: reports.filter(\.target.measuresRoundTrip).map {
                    HistogramSample(labels: $0.name, Histogram($0.statistics.latencies, bounds: roundTripBounds))
                }
            ),
            .histogram(
                "network_health_target_duration_seconds",
                help: "How long successful probes of dns, http and graphql targets took.",
                samples: reports.filter { !$0.target.measuresRoundTrip }.map {
                    HistogramSample(labels: $0.name, Histogram($0.statistics.latencies, bounds: durationBounds))
                }
            ),
            .gauge(
                "network_health_target_phase_duration_seconds",
                help:
                    "How long each phase of a target's last probe took; icmp: resolve; tcp: resolve, connect, tls; dns: resolve, processing, and connect, transfer over TCP; http, graphql: all.",
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
            gauge("network_health_target_latency_seconds", "Median of a target's last 100 background probes.") {
                $0.window.median
            },
            gauge("network_health_target_jitter_seconds", "Mean change between a target's last 100 background probes.")
            {
                $0.window.jitter
            },
            gauge(
                "network_health_target_loss_ratio",
                "Share of a target's last 100 background probes that failed, local failures left out."
            ) {
                $0.window.lossRatio
            },
            gauge(
                "network_health_target_tls_not_after_timestamp_seconds",
                "When the first certificate of a target's chain to expire does."
            ) { $0.lastResult?.certificateExpiry?.timeIntervalSince1970 },
        ]
    }
}

extension TargetReport {
    fileprivate var name: Labels { ["target": target.name] }

    fileprivate var labels: Labels { ["target": target.name, "module": target.module] }

    fileprivate func labels(_ name: String, _ value: String) -> Labels {
        var labels = labels
        labels.append(name, value)
        return labels
    }

    fileprivate var information: Labels {
        var labels = labels
        labels.append("device", statistics.lastResult?.device ?? target.interface ?? "")
        labels.append("family", (statistics.lastResult?.address?.family ?? target.family)?.rawValue ?? "")
        labels.append("method", statistics.lastResult?.method?.rawValue ?? "")
        for (name, value) in target.labels.sorted(by: { $0.key < $1.key }) { labels.append(name, value) }
        return labels
    }
}
