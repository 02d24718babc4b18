import Lab
import Testing

extension EndToEndTests {
    /// An exporter that starts with its network, as in a pod.
    @Suite(.timeLimit(.minutes(1))) struct Start {
        @Test func `a start right after the network was made is no outage`() async throws {
            for _ in 0..<5 {
                try await withNewCable { host in
                    try await withExporter(in: host) { exporter in
                        let wrong = try await self.wrong(with: exporter)
                        #expect(wrong == [])
                        // A machine that is slow enough starts it after the link is running.
                        #expect(!exporter.log.contains("Offline"))
                    }
                }
            }
        }

        /// Scrapes and asks until the path is connected; returns what was wrong until then.
        private func wrong(with exporter: ExporterProcess) async throws -> [String] {
            var wrong: [String] = []
            try await poll("the connection") {
                let health = try await exporter.request("/health")
                let ready = try await exporter.request("/-/ready").status
                let scrape = try await exporter.request("/metrics").samples
                let isConnecting = scrape[#"network_health_path_unsatisfied_reason{reason="connecting"}"#] == "1"
                let outages = scrape.filter { $0.key.hasPrefix("network_health_outages_total{") && $0.value != "0" }
                if scrape["network_health_online"] == "0" || !outages.isEmpty { wrong.append("an outage") }
                // These answers are older than the scrape.
                if isConnecting, health.body != "starting\n" { wrong.append(health.body) }
                if isConnecting, ready == 200 { wrong.append("ready") }
                if scrape["network_health_quality_level"] == "0" { wrong.append("a quality") }
                return scrape["network_health_online"] == "1" ? true : nil
            }
            #expect(try await exporter.request("/-/ready").status == 200)
            #expect(try await exporter.request("/health").status == 200)
            return wrong
        }

        /// Gives `body` a host whose cable has a carrier and is not marked as running: another carrier changed just before.
        ///
        /// The kernel marks a cable at once if its ends have different indices, or when a program asks about the device by
        /// its name or index, as `ip route add … dev eth0` does (net/core/link_watch.c).
        private func withNewCable(_ body: (Namespace) async throws -> Void) async throws {
            try await withNamespace { router in
                try await withNamespace { host in
                    for (name, index) in [("other0", 41), ("eth0", 42)] {
                        let end = "\(name) index \(index)"
                        try await router.ip("link add \(end) type veth peer name \(end) netns \(host.name)")
                        try await router.ip("link set \(name) up")
                    }
                    try await host.ip("address add 198.18.0.2/24 dev eth0")
                    try await host.ip("link set other0 up")
                    try await host.ip("link set eth0 up")
                    try await host.ip("route add default via 198.18.0.1")
                    try await body(host)
                }
            }
        }
    }
}
