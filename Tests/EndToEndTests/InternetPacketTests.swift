import Testing

extension EndToEndTests {
    /// Lines on which some packets arrive: the state says which do not, and blames no one else.
    @Suite(.timeLimit(.minutes(2))) struct InternetPackets {
        private func wait(for state: String, of exporter: ExporterProcess) async throws {
            try await poll("internet_state \(state)", within: .seconds(60)) {
                try await exporter.sample("network_health_internet_state{state=\"\(state)\"}") == "1" ? true : nil
            }
        }

        private func reasons(_ exporter: ExporterProcess) async throws -> [String: String] {
            let prefix = "network_health_internet_degraded_reason{reason=\""
            let samples = try await exporter.request("/metrics").samples.filter { $0.key.hasPrefix(prefix) }
            let reasons = samples.map { (String($0.key.dropFirst(prefix.count).dropLast(2)), $0.value) }
            return Dictionary(uniqueKeysWithValues: reasons)
        }

        @Test func `a path on which packets above 700 B vanish is online and degraded, because of the MTU`()
            async throws
        {
            try await withInternet { internet in
                // The device of a router drops what is longer than it takes, and says nothing; it takes several segments that
                // are one buffer, so that the servers must send each by itself.
                try await internet.internet.ip("link set eth0 gso_max_segs 1")
                try await internet.resolve(ipv6: false)
                try await internet.router.ip("link set eth1 mtu 700")
                let configuration = FakeInternet.configuration(interval: "2s", timeout: "2s")
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    try await wait(for: "degraded", of: exporter)
                    let expected = ["mtu": "1", "loss": "0", "retransmissions": "0", "certificate": "0"]
                    #expect(try await reasons(exporter) == expected)
                    #expect(try await exporter.sample("network_health_online") == "1")
                    let mtu = "network_health_path_mtu_bytes{family=\"ipv4\"}"
                    try await poll(mtu) { try await exporter.sample(mtu) == "700" ? true : nil }
                    let page = try await exporter.request("/api/v1/status").body
                    #expect(page.contains("large packets do not arrive (MTU)"))
                    try await internet.router.ip("link set eth1 mtu 1500")
                    try await wait(for: "online", of: exporter)
                    #expect(Set(try await reasons(exporter).values) == ["0"])
                    #expect(try await exporter.request("/metrics").samples[mtu] == nil)
                }
            }
        }

        @Test func `names that all lead nowhere are a fault of DNS, and not of the provider`() async throws {
            try await withInternet { internet in
                let configuration = FakeInternet.configuration()
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    try await wait(for: "online", of: exporter)
                    try await internet.lie()
                    try await wait(for: "dns_broken", of: exporter)
                    #expect(try await exporter.request("/health").body == "dns_broken\n")
                    let status = try await exporter.request("/api/v1/status").body
                    let summary = status.firstMatch(of: /"summary":"([^"]+)"/)?.1 ?? ""
                    #expect(summary.contains("Names lead to no server (DNS)") && !summary.contains("provider"))
                    #expect(!status.contains(#""location":"provider""#) && !status.contains(#""location":"access""#))
                    #expect(try await exporter.sample("network_health_outages_total{cause=\"no_internet\"}") == "0")
                    #expect(try await exporter.sample("network_health_outages_total{cause=\"dns_broken\"}") == "1")
                    try await internet.resolve()
                    try await wait(for: "online", of: exporter)
                }
            }
        }
    }
}
