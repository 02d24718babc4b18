import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import PrometheusExposition

/// The metrics of blackbox_exporter for a target, and no others, with its names and its values for what there was not.
///
/// Dashboards and rules made for it show our targets. `docs/blackbox.md` lists what is left out.
enum ProbeFamilies {
    /// - Parameters:
    ///   - target: what was probed.
    ///   - result: of its last probe.
    ///   - isPaused: whether the cost of the path pauses it: then it is not known whether a probe would succeed.
    /// - Returns: those of all kinds and those of the target's kind.
    static func families(_ target: Target, _ result: ProbeResult, isPaused: Bool) -> [MetricFamily] {
        let success = MetricFamily.gauge(
            "probe_success",
            help: "Whether the last probe succeeded.",
            value: result.isSuccess
        )
        return (isPaused ? [] : [success]) + common(target, result) + ProbeModules.families(target, result)
    }

    /// Those of a target that is paused since before its first probe.
    static func families(_ target: Target) -> [MetricFamily] { [timeout(target)] }

    private static func timeout(_ target: Target) -> MetricFamily {
        .gauge("probe_timeout_seconds", help: "Timeout of a probe.", value: target.timeout)
    }

    private static func common(_ target: Target, _ result: ProbeResult) -> [MetricFamily] {
        [
            .gauge("probe_duration_seconds", help: "Duration of the last probe.", value: result.duration),
            timeout(target),
            .gauge(
                "probe_dns_lookup_time_seconds",
                help: "Duration of the name resolution of the last probe.",
                value: result.phases.resolve ?? .zero
            ),
            .gauge(
                "probe_ip_protocol",
                help: "IP version of the last probe, 4 or 6; 0: no address.",
                value: result.address.map { $0.family == .ipv4 ? 4 : 6 } ?? 0
            ),
            .gauge(
                "probe_ip_addr_hash",
                help: "Hash of the address of the last probe, which changes with the address; 0: no address.",
                value: result.address.map { Double($0.hash32) } ?? 0
            ),
        ]
    }

    /// The duration of each phase of a kind of probe; 0: the probe ended before, or needed none.
    static func phases(_ name: String, _ phases: [(String, Duration?)]) -> MetricFamily {
        .gauge(
            "probe_\(name)_duration_seconds",
            help: "Duration of each phase of the last probe.",
            samples: phases.map { phase, duration in Sample(labels: ["phase": phase], duration ?? .zero) }
        )
    }

    /// Those of http and graphql; 0 without an answer: rules about the status rely on it.
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
                "probe_http_last_modified_timestamp_seconds",
                help: "The header Last-Modified of the answer, as a Unix timestamp.",
                value: facts?.lastModified?.timeIntervalSince1970
            ),
            failedByRegex(result.failure == .body && facts?.bodyMatched == false),
        ] + tls(result) + cipher(result)
    }

    static func failedByRegex(_ hasFailed: Bool) -> MetricFamily {
        .gauge(
            "probe_failed_due_to_regex",
            help: "Whether the probe failed because the body did not match.",
            value: hasFailed
        )
    }

    /// Absent without TLS.
    static func tls(_ result: ProbeResult) -> [MetricFamily] {
        let facts = result.tls
        return [
            .gauge(
                "probe_ssl_earliest_cert_expiry",
                help: "Earliest expiry in the certificate chain, as a Unix timestamp.",
                value: result.certificateExpiry?.timeIntervalSince1970
            ),
            .gauge(
                "probe_ssl_last_chain_expiry_timestamp_seconds",
                help: "Expiry of the last verified certificate chain, as a Unix timestamp.",
                value: facts?.chainExpiry?.timeIntervalSince1970
            ),
            .gauge(
                "probe_ssl_last_chain_info",
                help: "The certificate of the server.",
                samples: [facts?.certificate.flatMap { CertificateFacts(der: $0) }].compactMap(\.self).map {
                    Sample(labels: $0.labels, 1)
                }
            ),
            .gauge(
                "probe_tls_version_info",
                help: "The TLS version of the connection.",
                samples: [facts?.version].compactMap(\.self).map { Sample(labels: ["version": $0], 1) }
            ),
        ]
    }

    private static func cipher(_ result: ProbeResult) -> [MetricFamily] {
        [
            .gauge(
                "probe_tls_cipher_info",
                help: "The TLS cipher suite of the connection.",
                samples: [result.tls?.cipher].compactMap(\.self).map { Sample(labels: ["cipher": $0], 1) }
            )
        ]
    }
}

extension CertificateFacts {
    fileprivate var labels: Labels {
        [
            "fingerprint_sha256": fingerprint, "issuer": issuer, "serialnumber": serial, "subject": subject,
            "subjectalternative": names.joined(separator: ","),
        ]
    }
}

extension IPAddress {
    /// FNV-1a of 32 bits, as blackbox_exporter computes it.
    fileprivate var hash32: UInt32 { bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 } }
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
