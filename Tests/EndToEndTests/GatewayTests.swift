import Foundation
import Testing

extension EndToEndTests {
    /// The target that is there without a configuration.
    @Suite(.timeLimit(.minutes(2))) struct Gateway {
        private static let name = Self.series("up")
        /// The router's own, and a target that shows that time has passed.
        private static let configuration = """
            internet: { enabled: false }
            gateway: { interval: 200ms }
            targets: [{ name: here, module: tcp, address: "127.0.0.1:1", interval: 200ms }]

            """
        private static let onHost = "path: { viewpoint: host }\n" + configuration

        private static func series(_ name: String) -> String { "network_health_target_\(name){target=\"gateway\"}" }

        private func withRouter(_ body: (Namespace, Namespace) async throws -> Void) async throws {
            try await withCable { host, router in
                try await router.ip("address add 198.18.0.1/24 dev eth0")
                try await body(host, router)
            }
        }

        private func waitFor(_ value: String?, _ exporter: ExporterProcess) async throws {
            try await poll("target_up \(value ?? "absent")") {
                try await exporter.sample(Self.name) == value ? true : nil
            }
        }

        /// Whether any series names it, after many probes of the other target.
        private func isListed(by exporter: ExporterProcess) async throws -> Bool {
            let samples = try await poll("probes of the other target") {
                let samples = try await exporter.request("/metrics").samples
                let probes = samples[#"network_health_target_probes_total{target="here"}"#].flatMap { Int($0) } ?? 0
                return probes >= 10 ? samples : nil
            }
            return samples.keys.contains { $0.contains("target=\"gateway\"") }
        }

        private func failures(_ exporter: ExporterProcess) async throws -> Int {
            try await exporter.request("/metrics").samples
                .filter { $0.key.hasPrefix("network_health_target_probe_failures_total{target=\"gateway\"") }
                .compactMap { Int($0.value) }.reduce(0, +)
        }

        @Test func `the router is watched while the path has one`() async throws {
            try await withRouter { host, _ in
                try await withExporter(configuration: Self.onHost, in: host) { exporter in
                    try await waitFor("1", exporter)
                    let probe = try await exporter.request("/probe?target=gateway&module=icmp").samples
                    #expect(probe["probe_success"] == "1")
                    #expect(try await exporter.sample("network_health_latency_seconds") == nil)
                    try await host.ip("-6 route delete default")
                    try await host.ip("route replace default dev eth0")
                    try await waitFor(nil, exporter)
                    let isListed = try await self.isListed(by: exporter)
                    #expect(!isListed)
                    #expect(try await exporter.request("/probe?target=gateway").status == 404)
                    try await host.ip("route replace default via 198.18.0.1 dev eth0")
                    try await waitFor("1", exporter)
                    #expect(try await failures(exporter) == 0)
                }
            }
        }

        @Test func `a router that drops pings is neither up nor down, until it has answered`() async throws {
            try await withRouter { host, router in
                try await router.set("net.ipv4.icmp_echo_ignore_all", to: "1")
                try await withExporter(configuration: Self.onHost, in: host) { exporter in
                    try await poll("the log") { exporter.log.contains("answers no ping") ? true : nil }
                    #expect(try await exporter.sample(Self.series("probes_total")) == "0")
                    #expect(try await exporter.sample(Self.name) == nil)
                    #expect(try await failures(exporter) == 0)
                    try await router.set("net.ipv4.icmp_echo_ignore_all", to: "0")
                    try await waitFor("1", exporter)
                    try await router.set("net.ipv4.icmp_echo_ignore_all", to: "1")
                    try await waitFor("0", exporter)
                    #expect(try await failures(exporter) > 0)
                }
            }
        }

        @Test func `a router that does not answer the kernel either is down`() async throws {
            try await withNetwork { host in
                try await withExporter(configuration: Self.onHost, in: host) { exporter in
                    try await waitFor("0", exporter)
                    #expect(try await failures(exporter) > 0)
                }
            }
        }

        @Test func `in a container the next hop is no router to watch, unless that is configured`() async throws {
            try await withRouter { host, _ in
                try await withExporter(configuration: Self.configuration, in: host) { exporter in
                    let isListed = try await self.isListed(by: exporter)
                    #expect(!isListed)
                }
                let enabled = Self.configuration.replacing("gateway: {", with: "gateway: { enabled: true,")
                try await withExporter(configuration: enabled, in: host) { try await waitFor("1", $0) }
            }
        }

        @Test func `where ICMP is not permitted there are no series, and one line in the log`() async throws {
            // In a folder that an unprivileged user can read, wherever it was built.
            let folder = try TemporaryFolder()
            let executable = "\(folder.path)/network-health-exporter"
            try FileManager.default.copyItem(atPath: Repository.executable, toPath: executable)
            try await withRouter { host, _ in
                try await withExporter(
                    configuration: Self.onHost,
                    in: host,
                    wrapper: Unprivileged.nobody,
                    executable: executable
                ) { exporter in
                    let isListed = try await self.isListed(by: exporter)
                    #expect(!isListed)
                    #expect(exporter.log.components(separatedBy: "The router is not watched").count == 2)
                }
            }
        }
    }
}
