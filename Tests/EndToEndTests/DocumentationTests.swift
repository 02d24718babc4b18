import Foundation
import Testing

extension EndToEndTests {
    /// What the documentation names, `/metrics` prints.
    @Suite struct Documentation {
        /// Shown only after something has happened.
        private static let later = [
            "network_health_last_transition_timestamp_seconds", "network_health_last_outage_start_timestamp_seconds",
            "network_health_last_outage_end_timestamp_seconds", "network_health_last_outage_info",
            "network_health_clock_skew_seconds", "network_health_queue_oldest_request_age_seconds",
            "network_health_path_mtu_bytes", "network_health_resolver_up", "network_health_resolver_duration_seconds",
            "network_health_device_link_speed_max_bytes_per_second",
            // From the second uplink on.
            "network_health_uplink_active", "network_health_uplink_testable", "network_health_uplink_online",
            "network_health_uplink_expensive", "network_health_uplink_latency_seconds",
            "network_health_uplink_loss_ratio", "network_health_uplink_outages_total",
            "network_health_uplink_offline_seconds_total", "network_health_uplink_active_seconds_total",
            "network_health_uplink_switches_total",
            // No radio.
            "network_health_wifi_signal_dbm", "network_health_wifi_receive_bytes_per_second",
            "network_health_wifi_transmit_bytes_per_second", "network_health_wifi_retries_total",
            // Not of a test that crosses no uplink.
            "network_health_speedtest_queue_location",
            "network_health_plan_bytes_per_second", "network_health_speedtest_plan_ratio",
            "network_health_speedtest_confirmations_total",
        ]

        private static func printed() throws -> [String] {
            let golden = try ["metrics.txt", "series.txt"].map {
                try Repository.text("Tests/EndToEndTests/Golden/\($0)")
            }
            return golden.joined().matches(of: /# TYPE (network_health_\S+)/).map { String($0.1) } + later
        }

        /// Every page of Markdown, without the DocC catalogues.
        static let pages: [String] = {
            let files = FileManager.default.enumerator(atPath: Repository.root + "/docs")?.compactMap { $0 as? String }
            return [
                "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", "Benchmarks/README.md",
                "Benchmarks/results.md", "grafana/README.md",
            ] + (files ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        }()

        /// The rules of Prometheus, and their tests.
        static let alerts: [String] = {
            let files = try? FileManager.default.contentsOfDirectory(atPath: Repository.root + "/grafana/alerts")
            return (files ?? []).filter { $0.hasSuffix(".yml") }.sorted().map { "grafana/alerts/\($0)" }
        }()

        private static let naming =
            pages + alerts + [
                "grafana/dashboards/network-health.json", "grafana/dashboards/network-health-fleet.json",
                "grafana/dashboards/network-health-why.json", "deploy/speedtest-names.rules.yml",
            ]

        @Test func `has pages, rules and their tests`() {
            #expect(Self.pages.contains("docs/metrics.md") && Self.pages.count > 15)
            #expect(Self.alerts.contains("grafana/alerts/network-health.rules.yml") && Self.alerts.count > 15)
        }

        /// The log, the page and `/health` have the same words, of one property (`SpeedTestSettingsTests`).
        @Test(arguments: ["README.md", "deploy/compose.yml", "deploy/debian/default", "docs/getting-it.md"])
        func `where a speed-test server is missing, both public ones are offered, with their costs`(file: String) throws
        {
            let text = try Repository.text(file).replacing(/\n *#? */, with: " ")
            for offer in ["cloudflare", "mlab", "200 MB", "at 100 Mbit/s", "20 GB a month"] {
                #expect(text.contains(offer), "\(offer)")
            }
            // Who learns what.
            #expect(text.contains(/learns (your|this host's) address|your address, the times and the speeds/))
            #expect(text.contains("publishes"))
        }

        @Test(arguments: naming)
        func `names no metric that is not printed`(file: String) throws {
            let printed = try Self.printed()
            // A name with a colon is one of the recording rules.
            let named = try Repository.text(file).matches(of: /\b(?:[a-z]+:)?network_health_[a-z0-9_:]*/)
                .map { String($0.0) }.filter { !$0.contains(":") }
            // A histogram's series have names of their own; `network_health_queue_*` names a group.
            let missing = Set(named).filter { name in
                let family = name.replacing(/_(bucket|count|sum)$/, with: "")
                return name.hasSuffix("_") ? !printed.contains { $0.hasPrefix(name) } : !printed.contains(family)
            }
            #expect(missing.isEmpty)
        }

        @Test func `the metrics table has every family`() throws {
            let page = try Repository.text("docs/metrics.md")
            #expect(try Self.printed().filter { !page.contains("`\($0)`") }.isEmpty)
        }
    }
}
