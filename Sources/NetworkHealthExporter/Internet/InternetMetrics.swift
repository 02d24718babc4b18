import FoundationEssentials
import NetworkHealth
import Posix
import Probing
import PrometheusExposition
import Statistics

/// Whether the internet can be reached over the path; checked in the background, on each change of the path and regularly.
enum InternetMetrics {
    private static let bounds = Histogram.Bounds(InternetStatistics.durationBounds)

    /// The last verdict; empty before the first.
    static func verdict(_ verdict: InternetVerdict?) -> [MetricFamily] {
        guard let verdict else { return [] }
        let families = AddressFamily.allCases.compactMap { family in verdict.families[family].map { (family, $0) } }
        // Why the host of a container is degraded is not known here: absent is not 0.
        let isUnexplained = verdict.state == .degraded && verdict.degradedReasons.isEmpty
        let reasons = isUnexplained ? [] : DegradedReason.allCases
        return [
            .stateSet(
                "network_health_internet_state",
                help: "State of the internet behind the path, by background checks: 1 for the current state.",
                label: "state",
                active: verdict.state
            ),
            .gauge(
                "network_health_internet_degraded_reason",
                help:
                    "Why the state of the internet is degraded: 1 for each reason that applies, all 0 in every other state.",
                samples: reasons.map {
                    Sample(labels: ["reason": $0.rawValue], verdict.degradedReasons.contains($0))
                }
            ),
            .gauge(
                "network_health_path_mtu_bytes",
                help:
                    "Largest packet that the path carries to the first of internet.literals; known while full packets vanish, by echo requests.",
                samples: AddressFamily.allCases.compactMap { family in
                    verdict.pathMTU[family].map { Sample(labels: ["family": family.rawValue], $0) }
                }
            ),
            .gauge(
                "network_health_internet_family_state",
                help: "State of the internet for each address family of the path: 1 for the current state.",
                samples: families.flatMap { family, state in
                    Sample.stateSet(labels: ["family": family.rawValue], label: "state", active: state)
                }
            ),
        ]
    }

    /// Counted since the checks were enabled; empty while they are disabled.
    static func statistics(_ statistics: InternetStatistics?) -> [MetricFamily] {
        guard let statistics else { return [] }
        let accounts = statistics.accounts.sorted {
            ($0.key.probe, $0.key.family.rawValue) < ($1.key.probe, $1.key.family.rawValue)
        }
        .map { (labels: Labels($0.key), account: $0.value, failures: $0.key.possibleFailures) }
        return [
            .gauge(
                "network_health_clock_skew_seconds",
                help:
                    "Clock of this host minus HTTP's Date of the hosts in the last background check; 0 if the time of the exchange explains it.",
                samples: statistics.clockSkew.map { [Sample($0 / .seconds(1))] } ?? []
            ),
            .gauge(
                "network_health_internet_last_success_timestamp_seconds",
                help:
                    "Time of the last successful background check of the internet; while other traffic proves it, none is sent for up to 300 s.",
                samples: AddressFamily.allCases.compactMap { family in
                    statistics.lastSuccess[family].map {
                        Sample(labels: ["family": family.rawValue], $0.timeIntervalSince1970)
                    }
                }
            ),
            .counter(
                "network_health_internet_probes_total",
                help: "Number of background checks of the internet.",
                samples: accounts.map { Sample(labels: $0.labels, $0.account.probes) }
            ),
            .counter(
                "network_health_internet_probe_failures_total",
                help: "Number of failed background checks of the internet, by reason.",
                samples: accounts.flatMap { labels, account, possible in
                    ProbeFailure.listed(possible, account.failures).map { failure in
                        var labels = labels
                        labels.append("reason", failure.rawValue)
                        return Sample(labels: labels, account.failures[failure, default: 0])
                    }
                }
            ),
            .histogram(
                "network_health_internet_probe_duration_seconds",
                help: "Duration of successful background checks of the internet.",
                samples: accounts.filter { $0.account.probes > 0 }.map { account in
                    HistogramSample(labels: account.labels, Histogram(account.account.duration, bounds: bounds))
                }
            ),
        ]
    }
}

extension Labels {
    fileprivate init(_ key: InternetStatistics.Key) {
        self = ["probe": key.probe, "family": key.family.rawValue]
    }
}
