import Testing

extension EndToEndTests {
    /// Certificates that are not trusted, shown by real servers.
    @Suite(.timeLimit(.minutes(2))) struct InternetCertificates {
        /// Starts an exporter behind servers with these certificates, and waits for the state.
        private func withState(
            _ state: String,
            first: Certificates.Kind,
            second: Certificates.Kind = .own,
            more: String = "",
            _ body: (ExporterProcess) async throws -> Void
        ) async throws {
            try await withInternet(serving: nil) { internet in
                try await internet.serve(.honest, certificate: first, second: second)
                let configuration = FakeInternet.configuration().replacing("internet:\n", with: "internet:\n\(more)")
                try await withExporter(configuration: configuration, in: internet.host) { exporter async throws in
                    let name = "network_health_internet_state{state=\"\(state)\"}"
                    try await poll(name) { try await exporter.sample(name) == "1" ? true : nil }
                    try await body(exporter)
                }
            }
        }

        @Test(arguments: [Certificates.Kind.foreign, .expired, .early, .otherName])
        func `a wrong certificate of two hosts is online, and no portal`(kind: Certificates.Kind) async throws {
            try await withState("tls_untrusted", first: kind, second: kind) { exporter async throws in
                #expect(try await exporter.request("/health").status == 200)
                let scrape = try await exporter.request("/metrics").samples
                #expect(scrape["network_health_online"] == "1")
                #expect(scrape[#"network_health_outages_total{cause="tls_untrusted"}"#] == "0")
                #expect(scrape[#"network_health_outages_total{cause="captive_portal"}"#] == "0")
                // The servers have this machine's clock.
                #expect(scrape["network_health_clock_skew_seconds"] == "0")
                for host in ["www.cloudflare.com", "www.gstatic.com"] {
                    let failures = "network_health_internet_probe_failures_total"
                    let name = failures + "{probe=\"\(host)\",family=\"ipv4\",reason=\"tls\"}"
                    try await poll(name) { try await exporter.sample(name) == "0" ? nil : true }
                }
            }
        }

        @Test(arguments: [Certificates.Kind.foreign, .expired, .early, .otherName])
        func `a wrong certificate of one host alone is degraded`(kind: Certificates.Kind) async throws {
            try await withState("degraded", first: kind) { exporter async throws in
                #expect(try await exporter.request("/health").status == 200)
                #expect(try await exporter.sample("network_health_online") == "1")
            }
        }

        @Test func `the second host is not asked while the first is trusted`() async throws {
            try await withState("online", first: .own, second: .expired) { exporter async throws in
                let name = #"network_health_internet_probes_total{probe="www.cloudflare.com",family="ipv4"}"#
                try await poll(name) { try await exporter.sample(name) == "0" ? nil : true }
                let second = #"network_health_internet_probes_total{probe="www.gstatic.com",family="ipv4"}"#
                #expect(try await exporter.sample(second) == "0")
            }
        }

        @Test func `denied, it is an outage with a cause of its own`() async throws {
            try await withState(
                "tls_untrusted",
                first: .foreign,
                second: .foreign,
                more: "  untrusted_tls: deny\n"
            ) { exporter async throws in
                let answer = try await exporter.request("/health")
                #expect(answer.status == 503 && answer.body == "tls_untrusted\n")
                #expect(try await exporter.sample("network_health_online") == "0")
                #expect(try await exporter.sample(#"network_health_outages_total{cause="tls_untrusted"}"#) == "1")
            }
        }
    }
}
