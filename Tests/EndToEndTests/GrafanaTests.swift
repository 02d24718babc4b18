import Foundation
import Testing

extension EndToEndTests {
    /// The dashboard and the alerts, by promtool and beside a real Prometheus; the names in them are a part of
    /// `Documentation`.
    @Suite(.timeLimit(.minutes(2))) struct Grafana {
        @Test(arguments: [
            "grafana/alerts/network-health", "grafana/alerts/network-health.recording", "deploy/speedtest-names",
        ])
        func `promtool finds nothing wrong with the rules`(file: String) async throws {
            try await output(of: ["promtool", "check", "rules", "\(Repository.root)/\(file).rules.yml"])
        }

        @Test(
            arguments: Documentation.alerts.filter { $0.hasSuffix(".test.yml") } + ["deploy/speedtest-names.test.yml"]
        )
        func `rules fire, stay quiet and record as their tests expect`(file: String) async throws {
            let command = ["promtool", "test", "rules", "\(Repository.root)/\(file)"]
            try await output(of: command, within: .seconds(90))
        }

        @Test func `the committed files are those that the mixin writes`() async throws {
            let folder = try TemporaryFolder()
            try await output(of: ["\(Repository.root)/scripts/mixin", folder.path], within: .seconds(60))
            let written = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains(".") }
            #expect(written.count > 1)
            for file in written {
                let text = try String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8)
                #expect(try Repository.text("grafana/\(file)") == text, "run scripts/mixin: \(file)")
            }
        }

        @Test func `with the address of the repository each alert links to a heading of its runbooks`() async throws {
            let folder = try TemporaryFolder()
            let home = "https://github.com/example/exporter"
            let written = try await run(
                ["\(Repository.root)/scripts/mixin", folder.path],
                environment: ["NHE_HOMEPAGE": home],
                within: .seconds(60)
            )
            #expect(written.status == 0, "\(written.errors)")
            let rules = try String(contentsOfFile: "\(folder.path)/alerts/network-health.rules.yml", encoding: .utf8)
            let links = rules.matches(of: /runbook_url: "([^"#]+)#(\w+)"/)
            let headings = try Repository.text("docs/runbooks.md").matches(of: /\n## (\w+)\n/).map { $0.1.lowercased() }
            #expect(Set(links.map { String($0.1) }) == ["\(home)/blob/HEAD/docs/runbooks.md"])
            #expect(Set(links.map { String($0.2) }) == Set(headings))
        }

        @Test func `each alert has a runbook, a case in which it fires, and one in which it does not`() throws {
            let rules = try Repository.text("grafana/alerts/network-health.rules.yml")
            let alerts = rules.matches(of: /- alert: (\w+)/).map { String($0.1) }
            let cases = try ["network-health", "line", "sites", "exporter", "budget", "places", "plan", "uplinks"]
                .map { try Repository.text("grafana/alerts/\($0).test.yml") }.joined()
            let runbooks = try Repository.text("docs/runbooks.md").matches(of: /\n## (\w+)\n/).map { String($0.1) }
            #expect(alerts.count == 26 && Set(alerts) == Set(runbooks))
            for alert in alerts {
                #expect(rules.contains("runbook_url: \"docs/runbooks.md#\(alert.lowercased())\""))
                #expect(cases.contains("- alertname: \(alert)\n"), "no case in which \(alert) fires")
                #expect(cases.contains(", alertname: \(alert) }"), "no case in which \(alert) is quiet")
            }
        }

        /// One table in words: `FaultLocation.call`, the page, and the text of alerts.
        @Test func `alerts name for each place whom the page says to call`() throws {
            let page = try Repository.text("docs/where.md")
            let rows = page.matches(of: /\n\| `(\w+)` \|[^|\n]*\|[^|\n]*\| ([^|\n]+) \|/)
            let mixin = try Repository.text("grafana/mixin/places.libsonnet")
            let calls = mixin.matches(of: /\n  \['(\w+)', '([^']+)'\]/)
            #expect(rows.count == 11 && calls.map { "\($0.1): \($0.2)" } == rows.map { "\($0.1): \($0.2)" })
        }

        @Test func `every expression has data after an outage, a portal and a speed test`() async throws {
            let folder = try TemporaryFolder()
            try await withInternet { internet in
                let flags = ["--web.listen-address=\(FakeInternet.literalIPv4):10319"]
                try await withExporter(flags, configuration: SpeedLab.serverConfiguration, in: internet.internet) { _ in
                    try await withExporter(
                        ["--storage.path=\(folder.path)/exporter.db"],
                        configuration: Self.configuration,
                        in: internet.host
                    ) { exporter in try await expectData(of: exporter, internet) }
                }
            }
        }

        private func expectData(of exporter: ExporterProcess, _ internet: FakeInternet) async throws {
            try await exporter.waitUntilReady()
            let folder = try TemporaryFolder()
            let prometheus = try await PrometheusServer(
                target: "127.0.0.1:\(exporter.port)",
                rules: ["network-health.rules.yml", "network-health.recording.rules.yml"].map { file in
                    try folder.write(file, Self.hurried(Repository.text("grafana/alerts/\(file)")))
                },
                in: internet.host
            )
            // A request that waits: its receiver refuses.
            let request = try await exporter.request(
                "/api/v1/requests",
                method: "POST",
                headers: ["Content-Type: application/json"],
                body: #"{"url":"http://\#(FakeInternet.webIPv4):9/"}"#
            )
            #expect(request.status == 202, "\(request.body)")
            // The first test is due at the start: it must not meet an outage.
            try await wait(for: "network_health_speedtest_last_success_timestamp_seconds", in: prometheus)
            try await wait(for: Self.online, in: prometheus)
            try await internet.serve(.redirectingPortal)
            try await wait(for: #"network_health_internet_state{state="captive_portal"} == 1"#, in: prometheus)
            try await internet.serve(.honest)
            try await wait(for: Self.online, in: prometheus)
            try await internet.cutUpstreamSilently()
            try await wait(for: #"ALERTS{alertname="NetworkHealthOffline"}"#, in: prometheus)
            try await internet.mendUpstreamSilently()
            try await wait(for: Self.online, in: prometheus)
            try await wait(for: "instance:network_health_outages:increase30d > 0", in: prometheus)
            try await wait(for: "network_health_loss_ratio", in: prometheus)
            // The phases, the certificate and the method are those of a target's last probe: a failed one has none.
            try await wait(for: "sum(network_health_target_up) == 4", in: prometheus)
            try await expectData(in: prometheus)
            #expect(try await prometheus.stop() == 0)
        }

        private func expectData(in prometheus: PrometheusServer) async throws {
            let loaded = try await prometheus.rules()
            #expect(loaded.count == 30 && loaded.allSatisfy { $0.health == "ok" }, "\(loaded)")
            let shown = try GrafanaDashboard.names.flatMap { try GrafanaDashboard.named($0).expressions }.map(
                Self.filledIn
            )
            for expression in shown + loaded.flatMap({ Self.operands(of: $0.query) }) {
                if Self.withoutData.contains(where: expression.hasPrefix) { continue }
                // After a scrape that took longer than its second there is none until the next one.
                try await poll("data of \(expression)") {
                    let numbers = try await prometheus.query(expression).compactMap { Double($0.number) }
                    return numbers.contains { !$0.isNaN } ? true : nil
                }
            }
        }

        /// The kernel knows no speed of a virtual cable, there is no radio, no router is probed, the test crosses no uplink, there is no
        /// second one, no host is followed, and no cost is configured here.
        private static let withoutData = [
            "network_health_device_link_speed_bytes_per_second", "network_health_wifi_signal_dbm",
            "network_health_resolver_duration_seconds", "network_health_speedtest_queue_location",
            "network_health_uplink_", "(network_health_uplink_", "increase(network_health_uplink_",
            "last_over_time(network_health_uplink_",
            #"network_health_monitor_backend_up{backend="host"}"#,
            #"last_over_time(network_health_monitor_backend_up{backend="host"}"#,
            #"(last_over_time(network_health_monitor_backend_up{backend="host"}"#,
            #"last_over_time(network_health_expensive_source_info{source=~"flag|config"}"#,
        ]

        private static let online = #"network_health_internet_state{state="online"} == 1"#

        private func wait(for expression: String, in prometheus: PrometheusServer) async throws {
            try await poll(expression, within: .seconds(40)) { try await prometheus.query(expression).first }
        }

        /// The lab's: every kind of target, with the router four, and a test that is over in seconds, for its link has no limit.
        ///
        /// It goes on until the latency under load is known, which takes eight requests.
        private static let configuration = FakeInternet.configuration(
            """
            targets:
              - { name: ping, module: icmp, address: \(FakeInternet.webIPv4), interval: 100ms, counts_for_latency: true }
              - { name: name, module: dns, address: \(FakeInternet.nameServer), query: www.test, interval: 1s }
              - { name: page, module: http, address: "https://www.test/", ip_family: ipv4, interval: 1s }
            offline_queue:
              enabled: true
              allowed_hosts: [{ host: \(FakeInternet.webIPv4), schemes: [http], ports: [9], allow_private: true }]
            plan: { download: { normal: 1kbps } }
            speedtest:
              servers: [{ name: lab, protocol: speedlab, url: "http://\(FakeInternet.literalIPv4):10319/speedtest" }]
              schedule: { interval: 1h }
              jitter: 0s
              min_gap: 0s
              initial_delay: 0s
              duration: { min: 1s, max: 4s }
              budget: { per_run: 60GB, per_day: 800GB, per_month: 25TB }
            """
        ).replacing("gateway: { enabled: false }", with: "gateway: { enabled: true, interval: 1s }")

        /// The recording rules with steps of a second, and the subquery of an alert with steps of ten, since the lab has no five minutes.
        private static func hurried(_ rules: String) -> String {
            rules.replacing("interval: 5m", with: "interval: 1s").replacing("d:5m]", with: "d:1s]")
                .replacing("h:5m]", with: "h:10s]")
        }

        /// An expression of a dashboard with what Grafana puts in place of its variables.
        private static func filledIn(_ expression: String) -> String {
            [
                ("$job", "network-health"), ("$instance", ".+"), ("$__rate_interval", "1m"), ("$__interval", "1s"),
                ("$__range", "10m"),
            ].reduce(expression) { $0.replacing($1.0, with: $1.1) }
        }

        /// What an alert's expression is made of, so that it has data while nothing is wrong.
        ///
        /// With `bool` a comparison is 0 or 1 in place of nothing: data then says that its series are there, and that
        /// they match. What follows `unless` takes data away and is asked by itself.
        private static func operands(of rule: String) -> [String] {
            [" == ", " > ", " >= ", " < "].reduce(rule) { $0.replacing($1, with: "\($1)bool ") }
                .split(separator: #/ unless on \([a-z, ]+\) /#).map { String($0) }
        }
    }
}
