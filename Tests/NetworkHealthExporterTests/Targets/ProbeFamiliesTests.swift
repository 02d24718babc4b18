import FoundationEssentials
import HTTPTransfer
import Posix
import Probing
import PrometheusExposition
import Testing

@testable import NetworkHealthExporter

/// Beside the names in blackbox_exporter 0.28, `prober/*.go`.
struct ProbeFamiliesTests {
    private static let common = [
        "probe_success", "probe_duration_seconds", "probe_timeout_seconds", "probe_dns_lookup_time_seconds",
        "probe_ip_protocol", "probe_ip_addr_hash",
    ]
    private static let secured = [
        "probe_ssl_earliest_cert_expiry", "probe_ssl_last_chain_expiry_timestamp_seconds", "probe_ssl_last_chain_info",
        "probe_tls_version_info",
    ]
    private static let http = [
        "probe_http_duration_seconds", "probe_http_status_code", "probe_http_version", "probe_http_redirects",
        "probe_http_ssl", "probe_http_content_length", "probe_http_uncompressed_body_length",
        "probe_http_last_modified_timestamp_seconds", "probe_failed_due_to_regex", "probe_tls_cipher_info",
    ]
    private static let tcp = ["probe_failed_due_to_regex", "probe_failed_due_to_bytes"]
    private static let icmp = ["probe_icmp_duration_seconds", "probe_icmp_reply_hop_limit"]
    private static let dns = [
        "probe_dns_duration_seconds", "probe_dns_query_succeeded", "probe_dns_answer_rrs", "probe_dns_authority_rrs",
        "probe_dns_additional_rrs",
    ]

    /// With everything that a probe can find.
    private static var full: ProbeResult {
        var result = ProbeResult()
        result.duration = .milliseconds(30)
        result.rtt = .milliseconds(2)
        result.setup = .milliseconds(1)
        result.hopLimit = 57
        result.phases.resolve = .milliseconds(1)
        result.phases.connect = .milliseconds(2)
        result.phases.tls = .milliseconds(4)
        result.phases.processing = .milliseconds(8)
        result.address = IPAddress("192.0.2.1")
        result.certificateExpiry = Date(timeIntervalSince1970: 1_900_000_000)
        result.tls = TLSFacts(
            version: "TLS 1.3",
            cipher: "TLS_AES_128_GCM_SHA256",
            certificate: [1, 2, 3],
            chainExpiry: Date(timeIntervalSince1970: 1_800_000_000)
        )
        var facts = HTTPFacts(status: 200, version: "1.1")
        facts.lastModified = Date(timeIntervalSince1970: 784_111_777)
        result.http = facts
        result.dns = DNSFacts(responseCode: 0, answers: 1, authorities: 2, additionals: 3)
        return result
    }

    private static func lines(_ probe: any Probe, _ result: ProbeResult, isPaused: Bool = false) -> [String] {
        printed(ProbeFamilies.families(Target(name: "t", address: "a", probe: probe), result, isPaused: isPaused))
    }

    private static func names(_ lines: [String]) -> Set<String> {
        Set(lines.map { String($0.prefix { $0 != "{" && $0 != " " }) })
    }

    @Test(arguments: [
        (ICMPProbe() as any Probe, common + icmp), (TCPProbe(), common + tcp + secured),
        (HTTPProbe(), common + http + secured), (GraphQLProbe(query: ""), common + http + secured),
        (DNSProbe(query: ""), common + dns),
    ])
    func `Each kind has the families of blackbox_exporter and no others`(probe: any Probe, families: [String]) {
        // The bytes above are no certificate.
        let found = Self.names(Self.lines(probe, Self.full)).union(
            families.contains("probe_ssl_last_chain_info") ? ["probe_ssl_last_chain_info"] : []
        )
        #expect(found == Set(families))
    }

    @Test func `A probe that found nothing has the zeros of blackbox_exporter, and nothing about TLS`() {
        let lines = Self.lines(HTTPProbe(), ProbeResult(failure: .resolve))
        for line in [
            "probe_success 0", "probe_dns_lookup_time_seconds 0", "probe_ip_protocol 0", "probe_ip_addr_hash 0",
            "probe_http_duration_seconds{phase=\"tls\"} 0", "probe_http_duration_seconds{phase=\"transfer\"} 0",
            "probe_http_status_code 0", "probe_http_content_length 0", "probe_http_ssl 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(Self.names(lines).isDisjoint(with: Self.secured + ["probe_http_last_modified_timestamp_seconds"]))
        let dns = Self.lines(DNSProbe(query: ""), ProbeResult(failure: .timeout))
        #expect(dns.contains("probe_dns_answer_rrs 0") && dns.contains("probe_dns_query_succeeded 0"))
        let icmp = Self.lines(ICMPProbe(), ProbeResult(failure: .timeout))
        #expect(icmp.filter { $0.hasPrefix("probe_icmp") }.count == 3 && !icmp.contains { $0.contains("hop_limit") })
    }

    @Test func `The values are those that the probe has found`() {
        let lines = Self.lines(HTTPProbe(), Self.full) + Self.lines(ICMPProbe(), Self.full)
        for line in [
            "probe_success 1", "probe_icmp_duration_seconds{phase=\"setup\"} 0.001", "probe_icmp_reply_hop_limit 57",
            "probe_tls_version_info{version=\"TLS 1.3\"} 1",
            "probe_tls_cipher_info{cipher=\"TLS_AES_128_GCM_SHA256\"} 1",
            "probe_ssl_last_chain_expiry_timestamp_seconds 1800000000",
            "probe_http_last_modified_timestamp_seconds 784111777",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
    }

    /// The numbers are another implementation's.
    @Test(arguments: [("127.0.0.1", 3_668_918_509), ("192.0.2.1", 1_969_986_452), ("::1", 1_751_717_746)])
    func `The hash of an address is FNV-1a over its bytes`(address: String, hash: Int) {
        var result = ProbeResult()
        result.address = IPAddress(address)
        #expect(Self.lines(ICMPProbe(), result).contains("probe_ip_addr_hash \(hash)"))
    }

    @Test func `A paused target has no probe_success`() {
        let names = Self.names(Self.lines(HTTPProbe(), Self.full, isPaused: true))
        #expect(!names.contains("probe_success") && names.contains("probe_http_status_code"))
    }
}
