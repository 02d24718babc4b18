import Foundation
import Testing

extension EndToEndTests {
    /// `/probe` beside Debian's blackbox_exporter, and the discovery of targets by Debian's Prometheus.
    @Suite(.timeLimit(.minutes(2))) struct Blackbox {
        /// One server that both probe.
        private struct Case {
            var name: String
            var target: String
            /// The module of blackbox_exporter.
            var module: String
            /// The keys of the target, without its name.
            var keys: String
            /// The samples whose values are equal.
            var equal: [String]
        }

        private static let web = FakeInternet.webIPv4
        /// Families that Debian's version, 0.23, does not have, and later ones do.
        private static let later: Set<String> = [
            "probe_timeout_seconds", "probe_tls_cipher_info", "probe_failed_due_to_bytes",
        ]
        private static let common = ["probe_success", "probe_ip_protocol", "probe_ip_addr_hash"]
        private static let secured = [
            "probe_ssl_earliest_cert_expiry", "probe_ssl_last_chain_expiry_timestamp_seconds",
        ]
        private static let http = [
            "probe_http_status_code", "probe_http_version", "probe_http_redirects", "probe_http_ssl",
            "probe_http_content_length", "probe_http_uncompressed_body_length", "probe_failed_due_to_regex",
        ]

        private static let modules = """
            modules:
              http_2xx: { prober: http, http: { preferred_ip_protocol: ip4 } }
              tcp_connect: { prober: tcp, tcp: { preferred_ip_protocol: ip4 } }
              tcp_tls: { prober: tcp, tcp: { preferred_ip_protocol: ip4, tls: true } }
              icmp: { prober: icmp, icmp: { preferred_ip_protocol: ip4 } }
              icmp6: { prober: icmp, icmp: { preferred_ip_protocol: ip6 } }
              dns: { prober: dns, dns: { query_name: www.test, query_type: A } }

            """

        private static let cases = [
            Case(
                name: "web",
                target: "https://www.test/dated",
                module: "http_2xx",
                keys: "module: http, ip_family: ipv4",
                equal: common + http + secured + ["probe_http_last_modified_timestamp_seconds"]
            ),
            Case(
                name: "plain",
                target: "http://\(web)/",
                module: "http_2xx",
                keys: "module: http",
                equal: common + http
            ),
            Case(
                name: "shut",
                target: "http://\(web):9/",
                module: "http_2xx",
                keys: "module: http",
                // The address is unknown without a connection.
                equal: ["probe_success"] + http
            ),
            Case(name: "open", target: "\(web):80", module: "tcp_connect", keys: "module: tcp", equal: common),
            Case(
                name: "handshake",
                target: "www.test:443",
                module: "tcp_tls",
                keys: "module: tcp, tls: true, ip_family: ipv4",
                equal: common + secured + ["probe_failed_due_to_regex"]
            ),
            Case(
                name: "ping",
                target: web,
                module: "icmp",
                keys: "module: icmp",
                equal: common + ["probe_icmp_reply_hop_limit"]
            ),
            Case(
                name: "ping6",
                target: FakeInternet.webIPv6,
                module: "icmp6",
                keys: "module: icmp",
                equal: common + ["probe_icmp_reply_hop_limit"]
            ),
            Case(
                name: "names",
                target: FakeInternet.nameServer,
                module: "dns",
                keys: "module: dns, query: www.test",
                equal: common + ["probe_dns_query_succeeded", "probe_dns_answer_rrs", "probe_dns_authority_rrs"]
            ),
        ]

        private static func configuration(interval: String) -> String {
            "path: { viewpoint: host }\ninternet: { enabled: false }\ntargets:\n"
                + cases.map {
                    "  - { name: \($0.name), address: \"\($0.target)\", \($0.keys), interval: \(interval) }\n"
                }.joined()
        }

        /// The names of samples, or of samples with their labels.
        private static func names(_ samples: [String: String], withLabels: Bool = false) -> Set<String> {
            Set(samples.keys.map { withLabels ? $0 : String($0.prefix { $0 != "{" }) })
        }

        @Test func `Each kind of probe has the names, the labels and the facts of blackbox_exporter`() async throws {
            try await withInternet { internet in
                let blackbox = try await BlackboxExporter(modules: Self.modules, in: internet.host)
                try await withExporter(configuration: Self.configuration(interval: "1h"), in: internet.host) {
                    exporter in
                    for row in Self.cases {
                        let theirs = try await blackbox.probe(row.target, module: row.module)
                        // By the address, as those do who come from there.
                        let encoded = row.target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                        let ours = try await poll("a probe of \(row.name)") {
                            let response = try await exporter.request("/probe?target=\(encoded)")
                            return response.status == 200 ? response.samples : nil
                        }
                        let added = Self.names(ours).subtracting(Self.names(theirs))
                        #expect(added.isSubset(of: Self.later), "\(row.name)")
                        #expect(Self.names(theirs).isSubset(of: Self.names(ours)), "\(row.name)")
                        // Phases, versions, and the whole of the certificate.
                        let missing = Self.names(theirs, withLabels: true).subtracting(
                            // A label that Debian's version does not have.
                            ours.keys.map { $0.replacing(/serialnumber="[0-9a-f]+",/, with: "") }
                        )
                        #expect(missing.isEmpty, "\(row.name): \(missing) not in \(ours.keys.sorted())")
                        for name in row.equal {
                            #expect(theirs[name] != nil, "\(row.name): \(name)")
                            #expect(
                                ours[name].flatMap(Double.init) == theirs[name].flatMap(Double.init),
                                "\(row.name): \(name)"
                            )
                        }
                    }
                }
                try await blackbox.stop()
            }
        }

        @Test func `Prometheus discovers the targets and scrapes each of them`() async throws {
            try await withInternet { internet in
                try await withExporter(configuration: Self.configuration(interval: "1s"), in: internet.host) {
                    exporter in
                    try await poll("the first probes") { () async throws -> Bool? in
                        for row in Self.cases {
                            guard try await exporter.request("/probe?target=\(row.name)").status == 200 else {
                                return nil
                            }
                        }
                        return true
                    }
                    let prometheus = try await PrometheusServer(
                        configuration: """
                            scrape_configs:
                              - job_name: blackbox
                                scrape_interval: 1s
                                scrape_timeout: 1s
                                http_sd_configs:
                                  - url: http://127.0.0.1:\(exporter.port)/api/v1/sd
                                    refresh_interval: 1s
                                relabel_configs:
                                  - { source_labels: [__meta_network_health_module], target_label: kind }

                            """,
                        in: internet.host
                    )
                    let series = try await poll("a scrape of each target") {
                        let series = try await prometheus.query("probe_success")
                        // None of the last ones failed, as one does that takes longer than its second.
                        let hasFailed = try await prometheus.lastError().contains { !$0.isNewline }
                        return series.count >= Self.cases.count && !hasFailed ? series : nil
                    }
                    #expect(Set(series.compactMap { $0.metric["target"] }) == Set(Self.cases.map(\.name)))
                    for one in series {
                        #expect(one.metric["instance"] == "127.0.0.1:\(exporter.port)")
                        #expect(one.number == (one.metric["target"] == "shut" ? "0" : "1"), "\(one.metric)")
                    }
                    #expect(series.first { $0.metric["target"] == "names" }?.metric["kind"] == "dns")
                    #expect(try await prometheus.stop() == 0)
                }
            }
        }
    }
}
