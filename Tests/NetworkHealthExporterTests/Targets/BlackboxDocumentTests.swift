import Foundation
import HTTPTransfer
import Probing
import PrometheusExposition
import Testing

@testable import NetworkHealthExporter

/// `docs/blackbox.md` beside the sources of blackbox_exporter 0.28.
struct BlackboxDocumentTests {
    /// Every family of `prober/*.go`.
    private static let families: Set<String> = [
        "probe_dns_additional_rrs", "probe_dns_answer_rrs", "probe_dns_authority_rrs", "probe_dns_duration_seconds",
        "probe_dns_lookup_time_seconds", "probe_dns_query_succeeded", "probe_dns_serial", "probe_duration_seconds",
        "probe_expect_info", "probe_failed_due_to_bytes", "probe_failed_due_to_cel", "probe_failed_due_to_regex",
        "probe_grpc_duration_seconds", "probe_grpc_healthcheck_response", "probe_grpc_ssl", "probe_grpc_status_code",
        "probe_http_content_length", "probe_http_duration_seconds", "probe_http_last_modified_timestamp_seconds",
        "probe_http_redirects", "probe_http_ssl", "probe_http_status_code", "probe_http_uncompressed_body_length",
        "probe_http_version", "probe_icmp_duration_seconds", "probe_icmp_reply_hop_limit", "probe_ip_addr_hash",
        "probe_ip_protocol", "probe_ssl_earliest_cert_expiry", "probe_ssl_last_chain_expiry_timestamp_seconds",
        "probe_ssl_last_chain_info", "probe_success", "probe_timeout_seconds", "probe_tls_cipher_info",
        "probe_tls_version_info", "probe_websocket_connection_upgraded", "probe_websocket_duration_seconds",
        "probe_websocket_failed_due_to_regex", "probe_websocket_status_code",
    ]

    private let parts: [String]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/blackbox.md")
        parts = try String(contentsOf: file.standardized, encoding: .utf8).components(separatedBy: "Not applicable")
    }

    private func named(_ text: String) -> Set<String> {
        Set(text.matches(of: /[a-z0-9_]+/).map { String($0.0) }.filter { $0.hasPrefix("probe_") })
    }

    @Test func `Each family is in the table, or listed as not applicable`() throws {
        try #require(parts.count == 2)
        let table = named(parts[0])
        let left = named(parts[1])
        #expect(table.union(left) == Self.families)
        #expect(table.isDisjoint(with: left))
        let printed = ProbeModules.all.flatMap { module in module.families(ProbeResult()) }.map(\.name)
        #expect(Set(printed).isSubset(of: table))
        // Those of every module, of which `ProbeFamiliesTests` knows the names.
        let ofAll = ProbeFamilies.families(
            Target(name: "t", address: "a", probe: ICMPProbe()),
            ProbeResult(),
            isPaused: false
        )
        #expect(Set(printed + ofAll.map(\.name)) == table)
    }

    @Test func `The targets of the examples are valid`() throws {
        let targets = parts.joined().matches(of: /`(\{ name: [^`]+ \})`/).map { String($0.1) }
        #expect(targets.count == 4)
        let text = "targets:\n" + targets.map { "  - \($0)\n" }.joined()
        let configuration = try Configuration.read(Array(text.utf8), file: "blackbox.md", environment: [:])
        #expect(configuration.targets.all.map(\.module) == ["http", "tcp", "icmp", "dns"])
    }
}
