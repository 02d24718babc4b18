import Testing

extension EndToEndTimingTests {
    /// A cable pulled, as a scrape sees it.
    @Suite(.timeLimit(.minutes(1))) struct Cable {
        private static let connected = "network_health_connected"
        private static let carrierChanges = #"network_health_device_carrier_changes_total{device="eth0"}"#
        private static let statusChanges = #"network_health_path_changes_total{field="status"}"#

        @Test func `a pulled cable is reported within its hold and half a second, and its return within a second`()
            async throws
        {
            try await withCable { host, router in
                try await withExporter(in: host) { exporter in
                    try await poll("the connection") { try await exporter.sample(Self.connected) == "1" ? true : nil }
                    try await router.ip("link set eth0 down")
                    let outage = try await lateness(of: "the outage", since: .now) {
                        try await exporter.sample(Self.connected) == "0"
                    }
                    #expect(outage <= .milliseconds(1500))
                    try await router.ip("link set eth0 up")
                    let back = try await lateness(of: "the return", since: .now) {
                        try await exporter.sample(Self.connected) == "1"
                    }
                    #expect(back <= .seconds(1))
                    let scrape = try await exporter.request("/metrics").samples
                    #expect(scrape[#"network_health_outages_total{cause="link"}"#] == "1")
                    let offline = scrape[#"network_health_offline_seconds_total{cause="link"}"#].flatMap(Double.init)
                    #expect(try #require(offline) >= 1)
                }
            }
        }

        @Test func `a blip inside the hold moves the counter and nothing else`() async throws {
            // Longer than by default, so that a blip is inside also where this test is held up in it.
            let configuration = ExporterProcess.quiet
                .replacing("viewpoint: host", with: "viewpoint: host, settle: { down_hold: 5s }")
            try await withCable { host, router in
                try await withExporter(configuration: configuration, in: host) { exporter in
                    try await poll("the connection") { try await exporter.sample(Self.connected) == "1" ? true : nil }
                    let before = try await exporter.request("/metrics").samples
                    let carrier = try #require(before[Self.carrierChanges].flatMap { Int($0) })
                    try await router.ip("link set eth0 down")
                    try await Task.sleep(for: .milliseconds(300))  // the blip itself
                    try await router.ip("link set eth0 up")
                    try await poll("the carrier's changes") {
                        try await exporter.sample(Self.carrierChanges).flatMap { Int($0) } == carrier + 2 ? true : nil
                    }
                    try await Task.sleep(for: .milliseconds(5200))  // past the end of the hold
                    let after = try await exporter.request("/metrics").samples
                    #expect(after[Self.statusChanges] == before[Self.statusChanges])
                    #expect(after[#"network_health_outages_total{cause="link"}"#] == "0")
                    #expect(after[Self.connected] == "1")
                }
            }
        }
    }
}
