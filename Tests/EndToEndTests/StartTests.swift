import Testing

extension EndToEndTests {
    /// An exporter that starts with its network, as in a pod.
    @Suite(.timeLimit(.minutes(1))) struct Start {
        /// What the scrapes from the start until the connection showed.
        private struct Record {
            /// Those in which the path was connecting.
            var connecting = 0
            var wrong: [String] = []
        }

        @Test func `a start right after the network was made is no outage`() async throws {
            var connecting = 0
            for _ in 0..<5 {
                let record = try await withNewCable { host in
                    try await withExporter(in: host) { try await follow($0) }
                }
                #expect(record.wrong == [])
                connecting += record.connecting
            }
            #expect(connecting > 0, "no start met a link that was not running yet")
        }

        /// Scrapes and asks until the path is connected.
        private func follow(_ exporter: ExporterProcess) async throws -> Record {
            var record = Record()
            try await poll("the connection", within: .seconds(10)) {
                let health = try await exporter.request("/health")
                let ready = try await exporter.request("/-/ready").status
                let scrape = try await exporter.request("/metrics").samples
                let isConnecting = scrape[#"network_health_path_unsatisfied_reason{reason="connecting"}"#] == "1"
                if isConnecting { record.connecting += 1 }
                let outages = scrape.filter { $0.key.hasPrefix("network_health_outages_total{") && $0.value != "0" }
                if scrape["network_health_online"] == "0" || !outages.isEmpty { record.wrong.append("an outage") }
                // Each answer is of its own moment: only the last of them may be later than the connection.
                if isConnecting, health.body != "starting\n" { record.wrong.append(health.body) }
                if ready == 200, isConnecting { record.wrong.append("ready") }
                return scrape["network_health_online"] == "1" ? true : nil
            }
            #expect(try await exporter.request("/-/ready").status == 200)
            #expect(try await exporter.request("/health").status == 200)
            return record
        }

        /// Gives `body` a host whose cable has a carrier and is not marked as running: another carrier changed just before.
        ///
        /// Both ends have the same index: the kernel announces the state of other cables to another namespace at once.
        private func withNewCable<Result>(_ body: (Namespace) async throws -> Result) async throws -> Result {
            try await withNamespace { router in
                try await withNamespace { host in
                    try await host.ip("link add other0 type veth peer name other1 netns \(router.name)")
                    try await host.ip("link set other0 up")
                    try await router.ip("link set other1 up")
                    try await router.ip("link add eth0 index 42 type veth peer name eth0 index 42 netns \(host.name)")
                    try await host.ip("address add 198.18.0.2/24 dev eth0")
                    try await router.ip("link set eth0 up")
                    try await host.ip("link set eth0 up")
                    try await host.ip("route add default via 198.18.0.1 dev eth0")
                    return try await body(host)
                }
            }
        }
    }
}
