import Testing

extension EndToEndTests {
    /// Debian's Prometheus, with the sample configuration, against the running exporter.
    @Suite(.timeLimit(.minutes(2))) struct Prometheus {
        /// What a scrape by way of nginx must look like.
        struct Way: Sendable, CustomTestStringConvertible {
            /// What nginx puts in place of Prometheus's own `Accept`.
            var accept: String?
            var contentType: String
            /// How Prometheus then names the counter `network_health_outages_total`: by HELP and TYPE.
            var counter: String

            var testDescription: String { contentType }
        }

        @Test(arguments: [
            Way(
                accept: nil,
                contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
                counter: "network_health_outages"
            ),
            Way(
                accept: "text/plain",
                contentType: "text/plain; version=0.0.4; charset=utf-8",
                counter: "network_health_outages_total"
            ),
        ])
        func `scrapes it through nginx, in the format that it asks for`(way: Way) async throws {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let port = try Loopback.closedPort()
                let proxy = try Nginx.proxy(on: port, to: "127.0.0.1:\(exporter.port)", accept: way.accept)
                let prometheus = try await PrometheusServer(target: "127.0.0.1:\(port)")
                try await expectRealValues(prometheus)
                let described = try await prometheus.describedMetrics()
                #expect(described.contains(way.counter))
                #expect(described.contains("network_health_connected"))
                let passed = proxy.requests
                    .map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
                    .filter { $0.count == 4 && $0[1].contains("openmetrics") }
                #expect(!passed.isEmpty)
                #expect(
                    passed.allSatisfy { $0[0] == "200" && $0[2] == way.contentType && $0[3] == "gzip" },
                    "\(passed)"
                )
                #expect(try await prometheus.stop() == 0)
                #expect(proxy.stop() == 0)
            }
        }

        @Test func `scrapes it directly`() async throws {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let prometheus = try await PrometheusServer(target: "127.0.0.1:\(exporter.port)")
                try await expectRealValues(prometheus)
                #expect(try await prometheus.describedMetrics().contains("network_health_outages"))
                #expect(try await prometheus.stop() == 0)
            }
        }

        /// `up`, and the interface that iproute2 names.
        private func expectRealValues(_ prometheus: PrometheusServer) async throws {
            let device = try await RealInterface.name()
            // A scrape that takes longer than its second leaves none of these until the next one.
            try await poll("a scrape with the values of this machine") { () async throws -> Bool? in
                let up = try await prometheus.query("up")
                let connected = try await prometheus.query("network_health_connected").map(\.number)
                let devices = try await prometheus.query("network_health_interface_info").compactMap {
                    $0.metric["device"]
                }
                let isRight =
                    up.map(\.number) == ["1"] && up.first?.metric["job"] == "network-health"
                    && connected == [device == nil ? "0" : "1"] && devices == (device.map { [$0] } ?? [])
                return try await prometheus.lastError().isEmpty && isRight ? true : nil
            }
        }

        @Test func `promtool accepts a live scrape`() async throws {
            try await withNetwork { network in
                try await withExporter(in: network) { exporter in
                    try await exporter.waitUntilReady()
                    try await network.ip("link set eth0 down")
                    try await poll("an outage, for its families") {
                        try await exporter.sample("network_health_connected") == "0" ? true : nil
                    }
                    let text = try await exporter.request("/metrics").body
                    let check = try await run(["promtool", "check", "metrics"], input: text, within: .seconds(20))
                    #expect(check.status == 0 && check.output.isEmpty && check.errors.isEmpty, "\(check)")
                }
            }
        }

        @Test func `the sample configuration is right by promtool`() async throws {
            try await output(of: ["promtool", "check", "config", "\(Repository.root)/deploy/prometheus.yml"])
        }

        @Test func `the strict OpenMetrics parser takes a live scrape`() async throws {
            let parse = """
                import sys
                from prometheus_client.openmetrics.parser import text_string_to_metric_families
                print(len(list(text_string_to_metric_families(sys.stdin.read()))))
                """
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let accept = ["Accept: application/openmetrics-text;version=1.0.0"]
                let text = try await exporter.request("/metrics", headers: accept).body
                let count = try await output(of: ["/usr/bin/python3", "-c", parse], input: text)
                #expect(Int(count.dropLast()) ?? 0 > 20)
            }
        }
    }
}
