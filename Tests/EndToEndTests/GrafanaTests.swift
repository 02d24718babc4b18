import Foundation
import Testing

extension EndToEndTests {
    /// The dashboard and the alerts, by promtool and beside a real Prometheus; the names in them are a part of
    /// `Documentation`.
    @Suite(.timeLimit(.minutes(2))) struct Grafana {
        private static let alerts = "\(Repository.root)/grafana/alerts"

        /// What of a dashboard is asked of Prometheus.
        private struct Dashboard: Decodable {
            struct Panel: Decodable {
                struct Target: Decodable { var expr: String }
                /// nil: a row.
                var targets: [Target]?
            }
            var panels: [Panel]
        }

        private static func dashboard() throws -> [String] {
            let text = try Repository.text("grafana/dashboards/network-health.json")
            let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(text.utf8))
            return dashboard.panels.flatMap { $0.targets ?? [] }.map(\.expr)
        }

        @Test(arguments: ["grafana/alerts/network-health", "deploy/speedtest-names"])
        func `promtool finds nothing wrong with the rules`(file: String) async throws {
            try await output(of: ["promtool", "check", "rules", "\(Repository.root)/\(file).rules.yml"])
            try await output(of: ["promtool", "test", "rules", "\(Repository.root)/\(file).test.yml"])
        }

        @Test func `every expression of the dashboard is about the chosen exporter`() throws {
            let expressions = try Self.dashboard()
            #expect(!expressions.isEmpty)
            for expression in expressions {
                let metrics = expression.ranges(of: "network_health_").count
                let chosen = expression.ranges(of: #"{job="$job",instance="$instance""#).count
                #expect(metrics > 0 && metrics == chosen, "\(expression)")
            }
        }

        @Test func `every expression has data after an outage and a speed test`() async throws {
            let rate = 10_000_000
            try await withSpeedLab(delay: .milliseconds(5), up: rate, down: rate) { lab in
                let host = lab.link.host
                let flags = ["--web.enable-admin-api"]
                try await withExporter(flags, configuration: Self.configuration, in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let instance = "127.0.0.1:\(exporter.port)"
                    let rules = "\(Self.alerts)/network-health.rules.yml"
                    let prometheus = try await PrometheusServer(target: instance, rules: rules, in: host)
                    try await cut(lab.link, until: prometheus)
                    let result = try await exporter.makeSpeedTest()
                    #expect(result.error == nil)
                    try await wait(for: "network_health_speedtest_last_success_timestamp_seconds", in: prometheus)
                    let loaded = try await prometheus.rules()
                    #expect(!loaded.isEmpty && loaded.allSatisfy { $0.health == "ok" }, "\(loaded)")
                    let shown = try Self.dashboard().map { Self.filledIn($0, instance: instance) }
                    for expression in shown + loaded.flatMap({ Self.operands(of: $0.query) }) {
                        let numbers = try await prometheus.query(expression).compactMap { Double($0.number) }
                        #expect(numbers.contains { !$0.isNaN }, "\(expression)")
                    }
                    #expect(try await prometheus.stop() == 0)
                }
            }
        }

        /// Online, offline until an alert is about to tell it, and online again: all of it scraped.
        private func cut(_ link: RelayedLink, until prometheus: PrometheusServer) async throws {
            let online = #"network_health_internet_state{state="online"} == 1"#
            try await wait(for: online, in: prometheus)
            try await link.host.ip("link set lab0 down")
            try await wait(for: #"ALERTS{alertname="NetworkHealthOffline"}"#, in: prometheus)
            try await link.host.ip("link set lab0 up")
            try await link.host.ip("route add default via \(RelayedLink.far)")
            try await wait(for: online, in: prometheus)
        }

        private func wait(for expression: String, in prometheus: PrometheusServer) async throws {
            try await poll(expression) { try await prometheus.query(expression).first }
        }

        /// The lab's, with the far end as the internet and as a target.
        ///
        /// The cost of its virtual cable is known only on a host.
        private static let configuration = SpeedLab.configuration(path: "{ viewpoint: host }").replacing(
            "internet: { enabled: false }",
            with: """
                internet:
                  interval: 1s
                  timeout: 1s
                  probes: [{ name: far, url: "http://\(RelayedLink.far):10319/-/healthy", expect: { status: 200 } }]
                  https: []
                  literals: []
                targets: [{ name: far, module: icmp, address: \(RelayedLink.far), interval: 200ms, counts_for_latency: true }]
                """
        ).replacing("gateway: { enabled: false }", with: "gateway: { enabled: true, interval: 1s }")

        /// An expression of the dashboard with what Grafana puts in place of its variables.
        private static func filledIn(_ expression: String, instance: String) -> String {
            [
                ("$job", "network-health"), ("$instance", instance), ("$__rate_interval", "1m"), ("$__range", "10m"),
            ].reduce(expression) { $0.replacing($1.0, with: $1.1) }
        }

        /// What an alert's expression is made of, so that it has data while nothing is wrong.
        ///
        /// With `bool` a comparison is 0 or 1 in place of nothing: data then says that its series are there, and that
        /// they match. What follows `unless` takes data away and is asked by itself.
        private static func operands(of rule: String) -> [String] {
            [" == ", " > ", " < "].reduce(rule) { $0.replacing($1, with: "\($1)bool ") }
                .split(separator: " unless on (job, instance) ").map(String.init)
        }
    }
}
