import Glibc
import Lab
import Testing

extension EndToEndTimingTests {
    /// Scrapes beside speed tests: neither moves the other.
    @Suite(.timeLimit(.minutes(1))) struct SpeedScrape {
        private static let runs = "runs_total"

        /// An exporter that measures against itself, and may move as much as this machine can.
        private func withSelfTest<Result>(_ body: (ExporterProcess) async throws -> Result) async throws -> Result {
            let port = try Loopback.closedPort()
            let configuration = """
                path: { viewpoint: host }
                internet: { enabled: false }
                speedtest_server: { enabled: true, max_bytes: 1TB, max_bytes_per_day: 10TB }
                speedtest:
                  servers: [{ name: self, protocol: speedlab, url: "http://127.0.0.1:\(port)/speedtest" }]
                  schedule: { interval: 1h }
                  duration: { min: 5s, max: 5s }
                  budget: { per_run: 1TB, per_day: 10TB, per_month: 10TB }

                """
            let flags = ["--web.enable-admin-api", "--web.listen-address=127.0.0.1:\(port)"]
            return try await withExporter(flags, configuration: configuration) { exporter in
                try await exporter.waitUntilReady()
                return try await body(exporter)
            }
        }

        @Test func `20 scrapers start no test`() async throws {
            try await withSelfTest { exporter in
                let base = "http://127.0.0.1:\(exporter.port)"
                let urls = ["\(base)/{metrics,api/v1/speedtest,health,}?n=[1-1000000]"]
                let curl = ["curl", "-s", "--noproxy", "*", "-o", "/dev/null"]
                let scrapers = try (0..<20).map { _ in try Program(curl + urls) }
                try await Task.sleep(for: .seconds(10))  // for as long as they scrape
                for scraper in scrapers {
                    #expect(scraper.isRunning, "\(scraper.errors)")
                    scraper.signal(SIGKILL)
                }
                #expect(try await exporter.speedTestSample(Self.runs, "in_progress", "receive_bytes_total") == 0)
                #expect(try await exporter.sample("network_health_embedded_server_transmit_bytes_total") == "0")
                let requests = try await exporter.sample(
                    #"network_health_exporter_http_requests_total{handler="metrics",code="200"}"#
                )
                #expect(try #require(requests.flatMap(Double.init)) > 1000)
            }
        }

        @Test func `beside a saturating test a scrape is within 20 ms of a constant, and SIGTERM ends it`() async throws
        {
            let address = "127.0.0.1:\(try Loopback.closedPort())"
            let constant = try Nginx.constant(at: address)
            let url = "http://\(address)/"
            try await withSelfTest { exporter in
                try await exporter.makeSpeedTest(move: 200_000_000)
                // Side by side, since other programs may delay both.
                async let peer = times(of: url)
                let times = try await times(of: "http://127.0.0.1:\(exporter.port)/metrics")
                #expect(try await exporter.speedTestSample("in_progress") == 1)
                let (own, other) = (times[times.count * 99 / 100], try await peer)
                let limit = other[other.count * 99 / 100] + 0.020
                #expect(own < limit, "p50 \(times[times.count / 2]), p99 \(own), limit \(limit)")
            }
            constant.stop()
        }

        /// The seconds of 300 requests, 100 each second, in ascending order.
        private func times(of url: String) async throws -> [Double] {
            let curl = ["curl", "-sS", "--noproxy", "*", "--rate", "100/s", "-o", "/dev/null"]
            let text = try await output(of: curl + ["-w", "%{time_total}\\n", "\(url)?n=[1-300]"])
            let times = text.split(separator: "\n").compactMap { Double($0) }.sorted()
            try #require(times.count == 300)
            return times
        }
    }
}
