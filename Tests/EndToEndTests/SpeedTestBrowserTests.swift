import Foundation
import Testing

extension EndToEndTests {
    /// Chromium against the embedded speed-test server: pages that may use it, and those that may not.
    @Suite(.timeLimit(.minutes(2))) struct SpeedTestBrowsers {
        private static let name = "network_health_embedded_server"

        /// Chromium sends the site of the page to localhost and to servers with TLS, and to no other server.
        @Test(arguments: [("localhost", "127.0.0.1"), ("page.test", "server.test")])
        func `another site's page moves no byte`(page: String, server: String) async throws {
            let browser = try await Browser()
            let listed = "http://listed.test:\(browser.port)"
            let configuration =
                ExporterProcess.quiet + "speedtest_server: { enabled: true, cors: [\"\(listed)\"] }\n"
            try await withExporter(["--web.allowed-host=.test"], configuration: configuration) { exporter in
                let result = try await browser.result(
                    of: "foreign.html",
                    at: page,
                    server: "http://\(server):\(exporter.port)"
                )
                #expect(result["readable"] as? String == "TypeError")
                // A page sees nothing of the answer to an opaque request, whatever it is.
                #expect(result["image"] as? String == "failed" && result["socket"] as? String == "failed")
                let samples = try await exporter.request("/metrics").samples
                #expect(samples["\(Self.name)_transmit_bytes_total"] == "0")
                #expect(samples["\(Self.name)_rejected_total{reason=\"cross_site\"}"] == "4")
                let lines = exporter.log.split(separator: "\n").filter { $0.contains("refused a client") }
                #expect(lines.count == 1, "one line a minute for each address")
                #expect(lines.first?.contains("address=127.0.0.1") == true)
                #expect(lines.first?.contains("reason=cross_site") == true)
            }
        }
    }
}
