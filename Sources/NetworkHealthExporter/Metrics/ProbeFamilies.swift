import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import PrometheusExposition

/// The metrics of blackbox_exporter for a target, with its names, so that dashboards made for it show our targets.
enum ProbeFamilies {
    static func families(_ target: Target, _ result: ProbeResult, at date: Date) -> [MetricFamily] {
        common(target, result, at: date) + ProbeModules.families(target, result) + tls(result)
    }

    private static func common(_ target: Target, _ result: ProbeResult, at date: Date) -> [MetricFamily] {
        [
            .gauge("probe_success", help: "Whether the last probe succeeded.", value: result.isSuccess),
            .gauge("probe_duration_seconds", help: "Duration of the last probe.", value: result.duration),
            .gauge("probe_timeout_seconds", help: "Timeout of a probe.", value: target.timeout),
            .gauge(
                "probe_dns_lookup_time_seconds",
                help: "Duration of the name resolution of the last probe.",
                value: result.phases.resolve
            ),
            .gauge(
                "probe_ip_protocol",
                help: "IP version of the last probe, 4 or 6; 0: no address.",
                value: result.address.map { $0.family == .ipv4 ? 4 : 6 } ?? 0
            ),
            .gauge(
                "network_health_target_last_probe_timestamp_seconds",
                help: "Time of the end of the last probe; these values are from memory, as a scrape sends nothing.",
                value: date.timeIntervalSince1970
            ),
        ]
    }

    /// The duration of each phase of a kind of probe.
    static func phases(_ name: String, _ phases: [(String, Duration?)]) -> MetricFamily {
        .gauge(
            "probe_\(name)_duration_seconds",
            help: "Duration of each phase of the last probe.",
            samples: phases.compactMap { phase, duration in duration.map { Sample(labels: ["phase": phase], $0) } }
        )
    }

    /// Those of http and graphql; 0 without an answer, as in blackbox_exporter: rules about the status rely on it.
    static func http(_ result: ProbeResult) -> [MetricFamily] {
        let facts = result.http
        return [
            phases("http", result.phases.byName),
            .gauge("probe_http_status_code", help: "Status of the answer; 0: no answer.", value: facts?.status ?? 0),
            .gauge(
                "probe_http_version",
                help: "HTTP version of the answer; 0: no answer.",
                value: facts.flatMap { Double($0.version) } ?? 0
            ),
            .gauge("probe_http_redirects", help: "Number of redirects; always 0, as none are followed.", value: 0),
            .gauge(
                "probe_http_ssl",
                help: "Whether the answer was received over TLS.",
                value: facts != nil && result.phases.tls != nil
            ),
            .gauge(
                "probe_http_content_length",
                help: "Content-Length of the answer; -1: not given.",
                value: facts.map { $0.contentLength ?? -1 } ?? 0
            ),
            .gauge(
                "probe_http_uncompressed_body_length",
                help: "Number of body bytes read.",
                value: facts?.bodyBytes ?? 0
            ),
            .gauge(
                "probe_failed_due_to_regex",
                help: "Whether the probe failed because the body did not match.",
                value: result.failure == .body && facts?.bodyMatched == false
            ),
        ]
    }

    private static func tls(_ result: ProbeResult) -> [MetricFamily] {
        [
            .gauge(
                "probe_ssl_earliest_cert_expiry",
                help: "Earliest expiry in the certificate chain, as a Unix timestamp.",
                value: result.certificateExpiry?.timeIntervalSince1970
            )
        ]
    }
}

extension TransferPhases {
    /// Each phase by its label.
    var byName: [(String, Duration?)] {
        [
            ("resolve", resolve), ("connect", connect), ("tls", tls), ("processing", processing),
            ("transfer", transfer),
        ]
    }
}
