import Testing

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(1))) struct NoNetwork {
        @Test func `serves without any network, and says that there is none`() async throws {
            try await withNamespace { namespace in
                try await withExporter(in: namespace) { exporter in
                    try await exporter.waitUntilReady()
                    #expect(try await exporter.request("/-/healthy").status == 200)
                    #expect(try await exporter.request("/-/ready").status == 200)
                    let scrape = try await exporter.request("/metrics")
                    #expect(scrape.status == 200)
                    #expect(scrape.samples["network_health_connected"] == "0")
                    #expect(scrape.samples["network_health_online"] == "0")
                    #expect(scrape.samples[#"network_health_path_unsatisfied_reason{reason="no_route"}"#] == "1")
                    #expect(scrape.samples[#"network_health_outages_total{cause="route"}"#] == "1")
                    #expect(!scrape.body.contains("\nnetwork_health_interface_info"))
                    let health = try await exporter.request("/health")
                    #expect(health.status == 503)
                    #expect(health.body == "offline\n")
                    #expect(health.headers["retry-after"] == "1")
                    #expect(health.headers["cache-control"] == "no-store")
                    let json = try await exporter.request("/health", headers: ["Accept: application/json"])
                    #expect(json.status == 503)
                    #expect(json.headers["content-type"] == "application/json")
                    #expect(json.body.contains("\"reasons\":[\"offline\"]"))
                }
            }
        }

        @Test func `follows a network that comes and goes`() async throws {
            try await withNetwork { network in
                try await withExporter(in: network) { exporter in
                    try await exporter.waitUntilReady()
                    #expect(try await exporter.request("/health").status == 200)
                    try await network.ip("link set eth0 down")
                    try await poll("the outage") {
                        try await exporter.request("/health").status == 503 ? true : nil
                    }
                    // Whoever scrapes next is told the same.
                    let during = try await exporter.request("/metrics").samples
                    #expect(during["network_health_connected"] == "0")
                    #expect(during["network_health_online"] == "0")
                    #expect(during[#"network_health_path_status{status="disconnected"}"#] == "1")
                    #expect(during[#"network_health_outages_total{cause="link"}"#] == "1")
                    #expect(during[#"network_health_path_unsatisfied_reason{reason="link_down"}"#] == "1")
                    try await network.ip("link set eth0 up")
                    try await network.ip("route add default via 198.18.0.1 dev eth0")
                    try await poll("the return") { try await exporter.request("/health").status == 200 ? true : nil }
                    let scrape = try await exporter.request("/metrics").samples
                    #expect(scrape[#"network_health_outages_total{cause="link"}"#] == "1")
                    let offline = scrape[#"network_health_offline_seconds_total{cause="link"}"#].flatMap(Double.init)
                    #expect(try #require(offline) > 0.05)
                    #expect(scrape["network_health_outage_duration_seconds_count"] == "1")
                    #expect(scrape["network_health_last_transition_timestamp_seconds"] != nil)
                }
            }
        }
    }
}
