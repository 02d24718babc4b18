import Testing

extension EndToEndTests {
    /// What real servers behind a real router lead to.
    @Suite(.timeLimit(.minutes(2))) struct Internet {
        private static let online = "network_health_online"

        /// Starts an exporter in a fake internet that `prepare` has changed, and waits for its first verdict.
        private func withVerdict(
            serving site: FakeInternet.Site? = .honest,
            more: String = "",
            prepare: (FakeInternet) async throws -> Void = { _ in },
            _ body: (FakeInternet, ExporterProcess) async throws -> Void
        ) async throws {
            try await withInternet(serving: site) { internet in
                try await prepare(internet)
                let configuration = FakeInternet.configuration(more)
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    try await poll("the first verdict") { try await exporter.sample(Self.online) }
                    try await body(internet, exporter)
                }
            }
        }

        private func expect(
            _ state: String,
            families: [String: String]? = nil,
            health: Int,
            reason: String = "online",
            of exporter: ExporterProcess,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await poll("internet_state \(state)") {
                try await exporter.sample("network_health_internet_state{state=\"\(state)\"}") == "1" ? true : nil
            }
            // The state is the better family's; the other may be judged later.
            for (family, state) in families ?? ["ipv4": state, "ipv6": state] {
                let name = "network_health_internet_family_state{family=\"\(family)\",state=\"\(state)\"}"
                try await poll("\(family) \(state)") { try await exporter.sample(name) == "1" ? true : nil }
            }
            let answer = try await exporter.request("/health")
            #expect(answer.status == health, sourceLocation: sourceLocation)
            #expect(answer.body == "\(reason)\n", sourceLocation: sourceLocation)
            let expected = health == 200 ? "1" : "0"
            #expect(try await exporter.sample(Self.online) == expected, sourceLocation: sourceLocation)
        }

        /// Waits until a counter is above 0: a verdict is published before its probes are counted.
        private func pollCount(_ name: String, of exporter: ExporterProcess) async throws {
            try await poll("\(name) above 0") {
                try await exporter.sample(name).flatMap(Double.init) ?? 0 > 0 ? true : nil
            }
        }

        @Test func `an honest internet is online over both families`() async throws {
            try await withVerdict { _, exporter in
                try await expect("online", health: 200, of: exporter)
                for family in ["ipv4", "ipv6"] {
                    let probes = "network_health_internet_probes_total{probe=\"google\",family=\"\(family)\"}"
                    try await pollCount(probes, of: exporter)
                }
                let scrape = try await exporter.request("/metrics").samples
                for family in ["ipv4", "ipv6"] {
                    let success = "network_health_internet_last_success_timestamp_seconds{family=\"\(family)\"}"
                    #expect(scrape[success] != nil)
                }
                #expect(scrape[#"network_health_exporter_receive_bytes_total{component="internet"}"#] != "0")
            }
        }

        @Test func `a portal that redirects is captive`() async throws {
            try await withVerdict(serving: .redirectingPortal) { _, exporter in
                try await expect("captive_portal", health: 503, reason: "captive_portal", of: exporter)
                #expect(try await exporter.sample(#"network_health_outages_total{cause="captive_portal"}"#) == "1")
            }
        }

        @Test func `a login page with status 200 is captive`() async throws {
            try await withVerdict(serving: .loginPage) { _, exporter in
                try await expect("captive_portal", health: 503, reason: "captive_portal", of: exporter)
            }
        }

        @Test func `an empty 200 is a broken proxy and no portal`() async throws {
            try await withVerdict(serving: .emptyPage) { _, exporter in
                try await expect("online", health: 200, of: exporter)
                let failures = "network_health_internet_probe_failures_total"
                let status = failures + #"{probe="google",family="ipv4",reason="status"}"#
                // 204 was expected.
                try await pollCount(status, of: exporter)
            }
        }

        @Test func `dead names with living addresses are broken DNS`() async throws {
            try await withVerdict(
                prepare: { try await $0.stopResolving() },
                { _, exporter in
                    try await expect("dns_broken", health: 503, reason: "dns_broken", of: exporter)
                    #expect(try await exporter.sample(#"network_health_outages_total{cause="dns_broken"}"#) == "1")
                }
            )
        }

        @Test func `an upstream cut behind a living gateway is local only, by the upstream`() async throws {
            try await withVerdict(
                prepare: { try await $0.cutUpstream() },
                { _, exporter in
                    try await expect("no_internet", health: 503, reason: "no_internet", of: exporter)
                    #expect(try await exporter.sample(#"network_health_outages_total{cause="no_internet"}"#) == "1")
                }
            )
        }

        @Test func `a gateway that is gone is local only, by the gateway`() async throws {
            try await withVerdict(
                prepare: { internet in
                    // The cable stays, nobody answers on it.
                    try await internet.router.ip("address flush dev eth0")
                    try await internet.router.set("net.ipv4.conf.eth0.arp_ignore", to: "8")
                },
                { _, exporter in
                    try await expect("no_internet", health: 503, reason: "no_internet", of: exporter)
                    #expect(try await exporter.sample(#"network_health_outages_total{cause="gateway"}"#) == "1")
                }
            )
        }

        @Test func `IPv6 that leads nowhere beside IPv4 that works is online`() async throws {
            try await withVerdict(
                prepare: { try await $0.router.ip("-6 route add blackhole 2001:2:0:10::/60") },
                { _, exporter in
                    try await expect(
                        "online",
                        families: ["ipv4": "online", "ipv6": "no_internet"],
                        health: 200,
                        of: exporter
                    )
                }
            )
        }

        @Test func `a machine with one family is judged by that one`() async throws {
            for (flushed, left, gone) in [("-6", "ipv4", "ipv6"), ("-4", "ipv6", "ipv4")] {
                try await withVerdict(
                    prepare: { internet in
                        try await internet.host.ip("\(flushed) address flush dev eth0")
                        if left == "ipv6" { try internet.host.setResolver(FakeInternet.nameServerIPv6) }
                    },
                    { _, exporter in
                        try await expect("online", families: [left: "online"], health: 200, of: exporter)
                        let name = "network_health_internet_family_state{family=\"\(gone)\",state=\"online\"}"
                        #expect(try await exporter.sample(name) == nil)
                    }
                )
            }
        }
    }
}
