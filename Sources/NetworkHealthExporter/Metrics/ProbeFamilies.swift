import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import PrometheusExposition

/// What blackbox_exporter prints of a probe, by its names, so that dashboards made for it show our targets.
enum ProbeFamilies {
    static func families(_ target: Target, _ result: ProbeResult, at date: Date) -> [MetricFamily] {
        common(target, result, at: date) + timings(target, result) + http(target, result) + dns(target, result)
            + tls(result)
    }

    private static func common(_ target: Target, _ result: ProbeResult, at date: Date) -> [MetricFamily] {
        [
            .gauge("probe_success", help: "Whether the last probe succeeded.", value: result.isSuccess),
            .gauge("probe_duration_seconds", help: "How long the last probe took.", value: result.duration),
            .gauge("probe_timeout_seconds", help: "How long a probe may take.", value: target.timeout),
            .gauge(
                "probe_dns_lookup_time_seconds",
                help: "How long the lookup of the target's name took.",
                value: result.phases.resolve
            ),
            .gauge(
                "probe_ip_protocol",
                help: "4 or 6: the family that was used; 0 where none was.",
                value: result.address.map { $0.family == .ipv4 ? 4 : 6 } ?? 0
            ),
            .gauge(
                "network_health_target_last_probe_timestamp_seconds",
                help: "When the last probe ended: what stands here is from memory, a scrape sends nothing.",
                value: date.timeIntervalSince1970
            ),
        ]
    }

    /// Each kind of probe has a family of its own, with phases of its own.
    private static func timings(_ target: Target, _ result: ProbeResult) -> [MetricFamily] {
        let phases = result.phases
        let (name, values): (String, [(String, Duration?)]) =
            switch target.probe {
            case is ICMPProbe: ("icmp", [("resolve", phases.resolve), ("rtt", result.rtt)])
            case is DNSProbe:
                ("dns", [("resolve", phases.resolve), ("connect", phases.connect), ("request", phases.processing)])
            case is HTTPProbe, is GraphQLProbe: ("http", phases.byName)
            default: ("tcp", [("resolve", phases.resolve), ("connect", phases.connect), ("tls", phases.tls)])
            }
        return [
            .gauge(
                "probe_\(name)_duration_seconds",
                help: "How long each phase of the last probe took.",
                samples: values.compactMap { phase, duration in duration.map { Sample(labels: ["phase": phase], $0) } }
            )
        ]
    }

    /// As blackbox_exporter has it, 0 where there was no answer: rules about the status count on that.
    private static func http(_ target: Target, _ result: ProbeResult) -> [MetricFamily] {
        guard target.probe is HTTPProbe || target.probe is GraphQLProbe else { return [] }
        let facts = result.http
        return [
            .gauge("probe_http_status_code", help: "The status of the answer; 0: none.", value: facts?.status ?? 0),
            .gauge(
                "probe_http_version",
                help: "The version of HTTP that was spoken; 0: none.",
                value: facts.flatMap { Double($0.version) } ?? 0
            ),
            .gauge("probe_http_redirects", help: "Redirects that were followed: none ever is.", value: 0),
            .gauge(
                "probe_http_ssl",
                help: "Whether the answer came over TLS.",
                value: facts != nil && result.phases.tls != nil
            ),
            .gauge(
                "probe_http_content_length",
                help: "The length of the body as the answer tells it, -1 where it does not.",
                value: facts.map { $0.contentLength ?? -1 } ?? 0
            ),
            .gauge(
                "probe_http_uncompressed_body_length",
                help: "The bytes of the body that were read.",
                value: facts?.bodyBytes ?? 0
            ),
            .gauge(
                "probe_failed_due_to_regex",
                help: "Whether the body did not match the pattern.",
                value: result.failure == .body && facts?.bodyMatched == false
            ),
        ]
    }

    private static func dns(_ target: Target, _ result: ProbeResult) -> [MetricFamily] {
        guard target.probe is DNSProbe else { return [] }
        let succeeded = MetricFamily.gauge(
            "probe_dns_query_succeeded",
            help: "Whether there was an answer to the question.",
            value: result.dns != nil
        )
        guard let facts = result.dns else { return [succeeded] }
        return [
            succeeded,
            .gauge("probe_dns_answer_rrs", help: "Records in the answer section.", value: facts.answers),
            .gauge("probe_dns_authority_rrs", help: "Records in the authority section.", value: facts.authorities),
            .gauge("probe_dns_additional_rrs", help: "Records in the additional section.", value: facts.additionals),
        ]
    }

    private static func tls(_ result: ProbeResult) -> [MetricFamily] {
        [
            .gauge(
                "probe_ssl_earliest_cert_expiry",
                help: "When the first certificate of the chain to expire does, as a Unix time.",
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
