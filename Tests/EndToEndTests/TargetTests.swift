import Foundation
import Testing

extension EndToEndTests {
    /// Named things, probed where real servers stand.
    @Suite(.timeLimit(.minutes(2))) struct Targets {
        private static let web = FakeInternet.webIPv4

        private static func series(_ name: String, _ target: String, _ more: String = "") -> String {
            "network_health_target_\(name){target=\"\(target)\"\(more)}"
        }

        /// Waits until each of the targets was probed, and returns the scrape.
        private func scrape(_ exporter: ExporterProcess, targets: [(String, String)]) async throws -> [String: String] {
            // First probes are spread over ten seconds.
            try await poll("a probe of each target", within: .seconds(40)) {
                let samples = try await exporter.request("/metrics").samples
                let counts = targets.map { samples[Self.series("probes_total", $0.0)].flatMap { Int($0) } ?? 0 }
                return counts.allSatisfy { $0 > 0 } ? samples : nil
            }
        }

        private func withTargets(
            _ rows: String,
            prepare: (FakeInternet) async throws -> Void = { _ in },
            wrapper: [String] = [],
            executable: String = Repository.executable,
            _ body: (FakeInternet, ExporterProcess) async throws -> Void
        ) async throws {
            try await withInternet { internet in
                try await prepare(internet)
                let configuration = "internet: { enabled: false }\ntargets:\n\(rows)\n"
                try await withExporter(
                    configuration: configuration,
                    in: internet.host,
                    wrapper: wrapper,
                    executable: executable
                ) { exporter in try await body(internet, exporter) }
            }
        }

        @Test func `an HTTPS target tells its phases, which add up, and when its certificate ends`() async throws {
            try await withTargets(
                """
                  - { name: web, module: http, address: "https://www.test/", interval: 500ms, ip_family: ipv4 }
                """
            ) { internet, exporter in
                let samples = try await scrape(exporter, targets: [("web", "http")])
                #expect(samples[Self.series("up", "web")] == "1", "\(exporter.log)")
                let expiry = samples[#"network_health_target_tls_not_after_timestamp_seconds{target="web"}"#]
                let end = try await internet.certificateEnd()
                #expect(expiry.flatMap(Double.init) == end)
                let probe = try await exporter.request("/probe?target=web").samples
                let phases = ["resolve", "connect", "tls", "processing", "transfer"].map {
                    probe["probe_http_duration_seconds{phase=\"\($0)\"}"].flatMap(Double.init)
                }
                #expect(!phases.contains(nil))
                let total = try #require(probe["probe_duration_seconds"].flatMap(Double.init))
                let sum = phases.compactMap(\.self).reduce(0, +)
                #expect(abs(sum - total) < 0.005, "\(sum) \(total)")
                #expect(probe["probe_success"] == "1")
                #expect(probe["probe_http_status_code"] == "200")
                #expect(probe["probe_ssl_earliest_cert_expiry"].flatMap(Double.init) == expiry.flatMap(Double.init))
                #expect(probe["probe_ip_protocol"] == "4")
            }
        }

        @Test func `each failure is counted by its reason`() async throws {
            try await withTargets(
                """
                  - { name: status, module: http, address: "http://www.test/", expect: { status: 201 } }
                  - { name: body, module: http, address: "http://www.test/", expect: { body_regex: "^good ?bye" } }
                  - { name: match, module: http, address: "http://www.test/", expect: { body_regex: "(?i)^HEL+O$" } }
                  - { name: foreign, module: http, address: "https://www.test/", tls_config: { server_name: other.example } }
                  - { name: shut, module: tcp, address: "\(Self.web):9" }
                  - { name: open, module: tcp, address: "\(Self.web):80" }
                  - { name: handshake, module: tcp, address: "www.test:443", tls: true }
                  - { name: missing, module: dns, address: "\(FakeInternet.nameServer)", query: missing.test }
                  - { name: found, module: dns, address: "\(FakeInternet.nameServer)", query: www.test, type: AAAA }
                  - { name: text, module: dns, address: "\(FakeInternet.nameServer)", query: text.test, type: TXT }
                  - { name: mail, module: dns, address: "\(FakeInternet.nameServer)", query: mail.test, type: MX }
                  - { name: silent, module: icmp, address: 198.18.0.77, timeout: 10s }
                  - { name: device, module: icmp, address: "\(Self.web)", interface: eth9 }
                  - { name: router, module: icmp, address: _gateway }
                """
            ) { _, exporter in
                let good = [
                    ("match", "http"), ("open", "tcp"), ("handshake", "tcp"), ("found", "dns"), ("text", "dns"),
                    ("mail", "dns"), ("router", "icmp"),
                ]
                let bad = [
                    ("status", "http", "status"), ("body", "http", "body"), ("foreign", "http", "tls"),
                    ("shut", "tcp", "refused"), ("missing", "dns", "rcode"), ("silent", "icmp", "unreachable"),
                    ("device", "icmp", "no_interface"),
                ]
                let samples = try await scrape(exporter, targets: good + bad.map { ($0.0, $0.1) })
                for (name, _) in good {
                    #expect(samples[Self.series("up", name)] == "1", "\(name): \(exporter.log)")
                }
                for (name, _, reason) in bad {
                    #expect(samples[Self.series("up", name)] == "0", "\(name)")
                    let count = samples[Self.series("probe_failures_total", name, ",reason=\"\(reason)\"")]
                    #expect(count.flatMap { Int($0) } ?? 0 >= 1, "\(name) \(reason): \(exporter.log)")
                }
            }
        }

        @Test func `What the exporter says that its targets cost is what the interface carried, TLS included`()
            async throws
        {
            try await withTargets(
                """
                  - { name: web, module: http, address: "https://\(Self.web)/", interval: 500ms }
                  - { name: handshake, module: tcp, address: "\(Self.web):443", tls: true, interval: 500ms }
                """
            ) { internet, exporter in
                try await poll("ten probes of each") {
                    let samples = try await exporter.request("/metrics").samples
                    let counts = [("web", "http"), ("handshake", "tcp")].map {
                        samples[Self.series("probes_total", $0.0)].flatMap { Int($0) } ?? 0
                    }
                    return counts.allSatisfy { $0 >= 10 } ? true : nil
                }
                let before = try await Self.payload(of: internet.host)
                let samples = try await exporter.request("/metrics").samples
                let after = try await Self.payload(of: internet.host)
                #expect(samples[Self.series("up", "web")] == "1", "\(exporter.log)")
                #expect(samples[Self.series("up", "handshake")] == "1", "\(exporter.log)")
                func own(_ direction: String) -> Double {
                    let name = "network_health_exporter_\(direction)_bytes_total{component=\"targets\"}"
                    return samples[name].flatMap(Double.init)
                        ?? 0
                }
                // A probe that is under way has been carried in part and is counted at its end: one of each kind.
                #expect(own("receive") >= before.received * 0.88 && own("receive") <= after.received * 1.02)
                #expect(own("transmit") >= before.sent * 0.88 && own("transmit") <= after.sent * 1.02)
                print("own \(own("receive")) \(own("transmit")), interface \(before) to \(after)")
            }
        }

        /// The bytes that eth0 has carried, without 66 bytes of Ethernet, IPv4 and TCP with time stamps for each packet.
        ///
        /// Bytes and packets come from one message of the kernel: a packet between two reads would be subtracted without having
        /// been added.
        private static func payload(of host: Namespace) async throws -> (received: Double, sent: Double) {
            struct Link: Decodable {
                struct Statistics: Decodable { let rx, tx: Counters }
                struct Counters: Decodable {
                    let bytes, packets: Double
                    var payload: Double { bytes - packets * 66 }
                }
                let stats64: Statistics
            }
            let text = try await output(of: host.prefix + ["ip", "-j", "-s", "link", "show", "dev", "eth0"])
            let statistics = try #require(JSONDecoder().decode([Link].self, from: Data(text.utf8)).first).stats64
            return (statistics.rx.payload, statistics.tx.payload)
        }

        @Test func `a GraphQL target needs data and no errors`() async throws {
            try await withInternet { internet in
                let port = 8080
                let server = try Program(
                    internet.internet.prefix + ["python3", "\(Repository.tests)/Fixtures/graphql_server.py", "\(port)"]
                )
                try await poll("the GraphQL server") { server.output.contains("ready") ? true : nil }
                let address = "http://\(Self.web):\(port)/graphql"
                let configuration = """
                    path: { viewpoint: host }
                    internet: { enabled: false }
                    targets:
                      - { name: good, module: graphql, address: "\(address)", query: "{ __typename }" }
                      - { name: bad, module: graphql, address: "\(address)", query: "{ nothing }" }

                    """
                try await withExporter(configuration: configuration, in: internet.host) { exporter in
                    let samples = try await scrape(exporter, targets: [("good", "graphql"), ("bad", "graphql")])
                    #expect(samples[Self.series("up", "good")] == "1", "\(exporter.log)")
                    #expect(
                        samples[Self.series("probe_failures_total", "bad", #",reason="body""#)] == "1",
                        "\(exporter.log)"
                    )
                }
            }
        }

        @Test(arguments: [("0 2147483647", "icmp_datagram"), ("1 0", "tcp_handshake")])
        func `an unprivileged user pings where the kernel lets it, else times a handshake`(
            range: String,
            method: String
        ) async throws {
            let folder = try TemporaryFolder()
            let executable = "\(folder.path)/network-health-exporter"
            try FileManager.default.copyItem(atPath: Repository.executable, toPath: executable)
            try await withTargets(
                "  - { name: web, module: icmp, address: \"\(Self.web)\", interval: 500ms }",
                prepare: { try await $0.host.set("net.ipv4.ping_group_range", to: range) },
                wrapper: Unprivileged.nobody,
                executable: executable,
                { _, exporter in
                    let samples = try await scrape(exporter, targets: [("web", "icmp")])
                    #expect(samples[Self.series("up", "web")] == "1", "\(exporter.log)")
                    let info = try #require(samples.keys.first { $0.hasPrefix("network_health_target_info{") })
                    #expect(info.contains("method=\"\(method)\""), "\(info)")
                }
            )
        }

        @Test func `an unknown target is 404, and nothing is sent for a known one`() async throws {
            try await withTargets(
                "  - { name: web, module: http, address: \"http://www.test/\", interval: 1h }"
            ) { internet, exporter in
                _ = try await scrape(exporter, targets: [("web", "http")])
                // The server writes its log after its answer.
                let before = try await poll("the probe in the server's log") {
                    let count = internet.requests.count
                    return count > 0 ? count : nil
                }
                for _ in 0..<20 {
                    #expect(try await exporter.request("/probe?target=web&module=http").status == 200)
                }
                #expect(internet.requests.count == before)
                #expect(try await exporter.request("/probe?target=http://www.test/").status == 200)
                #expect(try await exporter.request("/probe?target=web&module=http_2xx").status == 400)
                let unknown = try await exporter.request("/probe?target=http://other.test/&module=http_2xx")
                #expect(unknown.status == 404)
                #expect(unknown.body.contains("one of: web"))
                let line = "  - { name: \"other.test\", module: http, address: \"http://other.test/\" }\n"
                #expect(unknown.body.hasSuffix("\ntargets:\n\(line)"))
                #expect(try await exporter.request("/probe").status == 400)
            }
        }

        @Test func `on an expensive path targets slow down or rest as they are told`() async throws {
            try await withTargets(
                """
                  - { name: rest, module: tcp, address: "\(Self.web):80", interval: 200ms, on_expensive: skip }
                  - { name: go, module: tcp, address: "\(Self.web):80", interval: 200ms, on_expensive: run }
                path: { viewpoint: host, expensive: true }
                """
            ) { _, exporter in
                let go = Self.series("probes_total", "go")
                let samples = try await poll("ten probes") {
                    let samples = try await exporter.request("/metrics").samples
                    return samples[go].flatMap { Int($0) } ?? 0 >= 10 ? samples : nil
                }
                // The first may have started before the path was known.
                #expect(samples[Self.series("probes_total", "rest")].flatMap { Int($0) } ?? 99 <= 1)
                let skipped = samples[Self.series("skipped_total", "rest", #",reason="expensive""#)]
                #expect(skipped.flatMap { Int($0) } ?? 0 >= 5)
            }
        }
    }
}
