import Foundation
import Testing

extension EndToEndTests {
    /// Certificates that are not trusted, shown by real servers.
    @Suite(.timeLimit(.minutes(2))) struct InternetCertificates {
        /// What the section `internet` has beside its intervals.
        private enum Keys {
            case none, denial
            /// The certificate of a stranger as an authority.
            case authority
            /// A real proxy on the router, which forwards no packet.
            case proxy

            /// Their lines, after what they name was made.
            func lines(for internet: FakeInternet) async throws -> String {
                switch self {
                case .none: return ""
                case .denial: return "  untrusted_tls: deny\n"
                case .authority:
                    return "  tls_config: { ca_file: \(internet.certificates.pair(.foreign).certificate) }\n"
                case .proxy:
                    try await internet.router.set("net.ipv4.ip_forward", to: "0")
                    try await internet.router.set("net.ipv6.conf.all.forwarding", to: "0")
                    try internet.router.setResolver(FakeInternet.nameServer)
                    try await internet.serveProxy()
                    return "  proxy_url: \(FakeInternet.proxy)\n"
                }
            }
        }

        /// Starts an exporter behind servers with these certificates, and waits for the state.
        private func withState(
            _ state: String,
            first: Certificates.Kind,
            second: Certificates.Kind = .own,
            date: Date? = nil,
            keys: Keys = .none,
            _ body: (ExporterProcess) async throws -> Void
        ) async throws {
            try await withInternet(serving: nil) { internet in
                try await internet.serve(.honest, certificate: first, second: second, date: date)
                // The first round decides, however slow a busy machine makes it. Behind a proxy it waits for what is silent.
                let pace = keys == .proxy ? "1s" : "5s"
                let configuration = FakeInternet.configuration(interval: pace, timeout: pace)
                    .replacing("internet:\n", with: "internet:\n\(try await keys.lines(for: internet))")
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
                keys: .denial
            ) { exporter async throws in
                let answer = try await exporter.request("/health")
                #expect(answer.status == 503 && answer.body == "tls_untrusted\n")
                let advice = "Connected, but certificates are not trusted. Check the clock, the CA certificates"
                #expect(
                    try await exporter.request("/health?requirement=basicBrowsing&format=json").body.contains(advice)
                )
                #expect(try await exporter.sample("network_health_online") == "0")
                #expect(try await exporter.sample(#"network_health_outages_total{cause="tls_untrusted"}"#) == "1")
            }
        }

        @Test(arguments: [(Certificates.Kind.nextMonth, -30.0), (.lastMonth, 30)])
        func `a clock that is a month off is online, and reported`(kind: Certificates.Kind, days: Double) async throws {
            let date = Date(timeIntervalSinceNow: -days * 86_400)
            try await withState("online", first: kind, second: kind, date: date) { exporter async throws in
                try await poll("the report of the clock") {
                    exporter.log.contains("Certificates are not valid by the clock of this host") ? true : nil
                }
                #expect(try await exporter.request("/health").status == 200)
                let scrape = try await exporter.request("/metrics").samples
                #expect(scrape["network_health_online"] == "1")
                let skew = try #require(scrape["network_health_clock_skew_seconds"].flatMap(Double.init))
                // The servers' clock stands still.
                #expect(abs(skew - days * 86_400) < 600, "\(skew)")
                let outages = scrape.filter { $0.key.hasPrefix("network_health_outages_total{") }
                #expect(!outages.isEmpty && outages.values.allSatisfy { $0 == "0" })
            }
        }

        @Test func `an authority of its own is trusted by ca_file`() async throws {
            try await withState(
                "online",
                first: .foreign,
                second: .foreign,
                keys: .authority
            ) { exporter async throws in
                let https = #"{probe="www.cloudflare.com",family="ipv4""#
                let probes = "network_health_internet_probes_total\(https)}"
                try await poll(probes) { try await exporter.sample(probes) == "0" ? nil : true }
                let failures = "network_health_internet_probe_failures_total\(https),reason=\"tls\"}"
                #expect(try await exporter.sample(failures) == "0")
            }
        }

        @Test(arguments: [(Certificates.Kind.own, "online"), (.foreign, "tls_untrusted")])
        func `a proxy is the way to the internet`(kind: Certificates.Kind, state: String) async throws {
            try await withState(
                state,
                first: kind,
                second: kind,
                keys: .proxy
            ) { exporter async throws in
                #expect(try await exporter.request("/health").status == 200)
                #expect(try await exporter.sample(#"network_health_outages_total{cause="captive_portal"}"#) == "0")
            }
        }
    }
}
