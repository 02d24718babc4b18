import Foundation
import Lab
import Testing

extension EndToEndTests {
    /// The whole of `/metrics` over fixtures, compared with a file of the repository.
    ///
    /// `NHE_UPDATE_GOLDEN=1 swift test --filter Golden` renews the files; look at the difference before you commit it.
    @Suite(.timeLimit(.minutes(2))) struct Golden {
        /// Samples whose values differ from run to run, each with its reason.
        static let volatile = [
            // Times and durations of this run.
            "network_health_exporter_collector_duration_seconds",
            "network_health_exporter_config_last_reload_success_timestamp_seconds",
            "network_health_monitored_seconds_total",
            "network_health_path_event_delay_seconds_bucket",
            "network_health_path_event_delay_seconds_sum",
            // By the pages of SQLite.
            "network_health_history_bytes",
            // The limits of the test.
            "process_max_fds",
            "process_virtual_memory_max_bytes",
            // How often the test asked before this scrape.
            "network_health_exporter_http_requests_total",
            // The end of an earlier one may not be noticed yet.
            "network_health_exporter_http_connections",
            // What the kernel says beside what was asked of it.
            "network_health_path_raw_events_total",
            "network_health_device_receive_bytes_total",
            "network_health_device_transmit_bytes_total",
        ]
        /// Samples whose labels differ from build to build.
        static let buildLabels = "network_health_exporter_build_info"

        @Test(arguments: [
            ("metrics.txt", "text/plain", "text/plain; version=0.0.4; charset=utf-8"),
            (
                "metrics.openmetrics.txt", "application/openmetrics-text;version=1.0.0",
                "application/openmetrics-text; version=1.0.0; charset=utf-8"
            ),
        ])
        func `a scrape over fixtures is the golden file`(file: String, accept: String, type: String) async throws {
            let fixtures = "\(Repository.tests)/Fixtures"
            let text = try await withNetwork { network in
                try await withExporter(
                    ["--path.sysfs=\(fixtures)/sys", "--path.procfs=\(fixtures)/proc"],
                    in: network,
                    environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
                ) { exporter in
                    try await exporter.waitUntilReady()
                    // Counted and known some time after the first state.
                    try await poll("the parts that follow the state") {
                        let names = try await exporter.request("/metrics").samples.keys
                        let later = ["network_health_history_bytes", "network_health_uplink_info{"]
                        return later.allSatisfy { part in names.contains { $0.hasPrefix(part) } } ? true : nil
                    }
                    let response = try await exporter.request("/metrics", headers: ["Accept: \(accept)"])
                    #expect(response.status == 200)
                    #expect(response.headers["content-type"] == type)
                    return Self.masked(response.body)
                }
            }
            let difference = try GoldenFile(file).difference(from: text)
            #expect(difference == [])
        }

        /// Every series, without its value: what is measured differs from run to run.
        @Test
        func `the series of a probed internet, of targets and of a speed test, on both sides, are the golden file`()
            async throws
        {
            let targets = [
                "{ name: ping, module: icmp, address: \(FakeInternet.webIPv4), labels: { team: net }, interval: 100ms, counts_for_latency: true }",
                "{ name: port, module: tcp, address: \"\(FakeInternet.webIPv4):80\", ip_family: ipv4 }",
                "{ name: name, module: dns, address: \(FakeInternet.nameServer), query: www.test }",
                "{ name: page, module: http, address: \"https://www.test/\", ip_family: ipv4 }",
                "{ name: graph, module: graphql, address: \"http://www.test/graphql\", query: \"{ a }\", ip_family: ipv4 }",
            ]
            let rows = targets.map {
                $0.contains("interval") ? "  - \($0)" : "  - \($0.dropLast(2)), interval: 500ms }"
            }.joined(separator: "\n")
            // Over loopback a second takes gigabytes. It goes on until eight requests under load were answered.
            let speedTest = """
                speedtest_server: { enabled: true, allow: [loopback], max_bytes_per_day: 1TB, congestion_control: reno }
                speedtest:
                  servers: [{ name: here, protocol: speedlab, url: "http://127.0.0.1:10319/speedtest", congestion_control: reno }]
                  schedule: { interval: 1h }
                  jitter: 0s
                  min_gap: 0s
                  initial_delay: 0s
                  duration: { min: 1s, max: 4s }
                  budget: { per_run: 60GB, per_day: 800GB, per_month: 25TB }

                """
            let configuration = FakeInternet.configuration("\(speedTest)targets:\n\(rows)")
            let folder = try TemporaryFolder()
            let series = try await withInternet { internet in
                let flags = ["--web.listen-address=127.0.0.1:10319", "--storage.path=\(folder.path)/exporter.db"]
                return try await withExporter(flags, configuration: configuration, in: internet.host) { exporter in
                    try await poll("a whole speed test", within: .seconds(60)) {
                        let samples = try await exporter.request("/metrics").samples
                        return samples.keys.contains { $0.hasPrefix("network_health_speedtest_last_success") }
                            ? true : nil
                    }
                    // Loss needs 60 packets, and jitter ten answers.
                    try await poll("the network's loss") { try await exporter.sample("network_health_loss_ratio") }
                    // All distances of both families are asked at the start.
                    try await poll("the routers on the way") {
                        let samples = try await exporter.request("/metrics").samples
                        return samples.keys.count { $0.hasPrefix("network_health_hop_latency_seconds") } >= 4
                            ? true : nil
                    }
                    // What is asked of both families, and of each target, at least twice.
                    try await poll("two probes of everything") {
                        let samples = try await exporter.request("/metrics").samples
                        let counts =
                            ["ipv4", "ipv6"].map {
                                "network_health_internet_probe_duration_seconds_count{probe=\"google\",family=\"\($0)\"}"
                            }
                            + ["ping", "port"].map { "network_health_target_rtt_seconds_count{target=\"\($0)\"}" }
                            + ["name", "page", "graph"].map {
                                "network_health_target_duration_seconds_count{target=\"\($0)\"}"
                            }
                        return counts.allSatisfy { samples[$0].flatMap { Int($0) } ?? 0 > 1 } ? true : nil
                    }
                    let families = [
                        "internet", "target", "latency", "jitter", "loss", "hop", "speedtest", "embedded_server",
                        "storage",
                    ]
                    .map {
                        "network_health_\($0)_"
                    }
                    let text = try await exporter.request("/metrics").body
                    return text.split(separator: "\n").filter { line in
                        let name = line.hasPrefix("# ") ? line.split(separator: " ")[2] : line
                        // Whom else it asks depends on how fast the first one answers.
                        let isOther = line.contains("_duration_seconds") && line.contains(/probe="(?!google)/)
                        return !isOther && families.contains { name.hasPrefix($0) }
                    }.map { $0.hasPrefix("# ") ? String($0) : String($0[..<($0.lastIndex(of: " ") ?? $0.endIndex)]) }
                }
            }
            let difference = try GoldenFile("series.txt").difference(from: series.joined(separator: "\n") + "\n")
            #expect(difference == [])
        }

        /// The text with `MASKED` for what differs from run to run and from build to build.
        private static func masked(_ text: String) -> String {
            // On a slow machine the test asks whether it is ready before it is.
            let early = "network_health_exporter_http_requests_total{handler=\"ready\",code=\"503\"}"
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
                !$0.hasPrefix(early)
            }.map { line -> String in
                let name = line.prefix { $0 != "{" && $0 != " " }
                if name == buildLabels { return String(line).replacing(/="[^"]*"/, with: "=\"MASKED\"") }
                guard volatile.contains(String(name)), let space = line.lastIndex(of: " ") else { return String(line) }
                return String(line[...space]) + "MASKED"
            }
            return lines.joined(separator: "\n")
        }
    }
}
