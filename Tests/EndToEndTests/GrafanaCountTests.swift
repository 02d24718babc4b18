import Foundation
import Testing

extension EndToEndTests {
    /// What dashboards count, by promtool with series that no lab has: upgrades, gaps between scrapes and restarts.
    @Suite struct GrafanaCounts {
        @Test
        func `a host with a new version is not absent, nor is a container that has ended, and one without data is`()
            async throws
        {
            try await expect(
                "Absent",
                of: "network-health-fleet",
                series: [
                    #"network_health_exporter_build_info{job="j",instance="upgraded",version="1"}"#: "1x9 stale",
                    #"network_health_exporter_build_info{job="j",instance="upgraded",version="2"}"#: "_x10 1x50",
                    #"network_health_exporter_build_info{job="j",instance="gone",version="1"}"#: "1x20 stale",
                    #"network_health_exporter_build_info{job="j",instance="follower",version="1"}"#: "1x8 stale",
                    #"network_health_monitor_backend_up{job="j",instance="follower",backend="host"}"#: "1x8 stale",
                ],
                values: [5: 0, 15: 0, 40: 1]
            )
        }

        /// One outage while it is scraped, one in a gap of half an hour, and a restart that sets the counter to 0.
        @Test(arguments: [
            ("Outages by cause", "network-health", #"{job="j",instance="i",cause="link"}"#),
            ("Outages", "network-health-fleet", #"{job="j",instance="i"}"#),
        ])
        func `each outage is in one bar`(panel: String, dashboard: String, labels: String) async throws {
            try await expect(
                panel,
                of: dashboard,
                series: [
                    #"network_health_outages_total{job="j",instance="i",cause="link"}"#: "0x11 1x8 stale _x28 2x20 0x20"
                ],
                values: [5: 0, 10: 0, 15: 1, 20: 0, 30: nil, 45: nil, 50: 1, 55: 0, 65: 0, 75: 0, 85: 0],
                labels: labels
            )
        }

        @Test func `hosts are counted by place, each once at a place, without those that follow another`() async throws
        {
            try await expect(
                "Hosts by place of a fault",
                of: "network-health-fleet",
                series: [
                    #"network_health_fault{job="j",instance="a",location="access",kind="loss"}"#: "0x9 1x50",
                    #"network_health_fault{job="j",instance="a",location="access",kind="latency"}"#: "0x9 1x50",
                    #"network_health_fault{job="j",instance="b",location="access",kind="outage"}"#: "0x19 1x40",
                    #"network_health_fault{job="j",instance="follower",location="access",kind="outage"}"#: "1x60",
                    #"network_health_monitor_backend_up{job="j",instance="follower",backend="host"}"#: "1x60",
                ],
                values: [5: 0, 15: 1, 25: 2],
                labels: #"{location="access"}"#
            )
        }

        @Test func `the place of several faults is the one nearest to the host`() async throws {
            try await expect(
                "Place of the fault",
                of: "network-health-why",
                series: [
                    #"network_health_fault{job="j",instance="a",location="unknown",kind="loss"}"#: "0x9 1x9 0x9 1x40",
                    #"network_health_fault{job="j",instance="a",location="access",kind="outage"}"#: "0x19 1x19 0x40",
                    #"network_health_fault{job="j",instance="a",location="host",kind="latency"}"#: "0x29 1x9 0x40",
                ],
                values: [5: 0, 15: 1, 25: 8, 35: 11, 45: 1],
                labels: #"{job="j",instance="a"}"#
            )
        }

        @Test func `places over time are those of the range, and a fault that is over is 0`() async throws {
            try await expect(
                "Places over time",
                of: "network-health-why",
                series: [
                    #"network_health_fault{job="j",instance="a",location="link",kind="outage"}"#: "0x9 1x9 0x60",
                    #"network_health_fault{job="j",instance="a",location="router",kind="outage"}"#: "0x60",
                ],
                values: [5: nil, 15: 1, 25: 0],
                labels: #"network_health_fault{job="j",instance="a",location="link",kind="outage"}"#
            )
        }

        /// Without an answer of the name servers the internet is reached, and no state is no answer.
        @Test func `the internet of the timeline does not answer only where no host does`() async throws {
            try await expect(
                "My network or my provider?",
                query: 1,
                of: "network-health",
                series: [
                    #"network_health_internet_state{job="j",instance="a",state="online"}"#: "1x9 0x50",
                    #"network_health_internet_state{job="j",instance="a",state="unknown"}"#: "0x9 1x9 0x40",
                    #"network_health_internet_state{job="j",instance="a",state="dns_broken"}"#: "0x19 1x9 0x30",
                    #"network_health_internet_state{job="j",instance="a",state="no_internet"}"#: "0x29 1x30",
                ],
                values: [5: 1, 15: nil, 25: 1, 35: 0],
                labels: #"{job="j",instance="a"}"#
            )
        }

        /// The value of a panel's expression after some minutes; nil: no value.
        private func expect(
            _ title: String,
            query: Int = 0,
            of name: String,
            series: [String: String],
            values: [Int: Int?],
            labels: String = "{}"
        ) async throws {
            let panels = try GrafanaDashboard.named(name).panels
            let panel = try #require(panels.first { $0.title == title && $0.targets != nil })
            let expression = [
                ("$job", ".+"), ("$instance", ".+"), ("$__rate_interval", "6m"), ("$__range", "30m"),
                ("$__interval", "5m"),
            ]
            .reduce(try #require(panel.targets?.dropFirst(query).first?.expr)) { $0.replacing($1.0, with: $1.1) }
            let input = series.sorted { $0.key < $1.key }
                .map { "      - { series: '\($0.key)', values: '\($0.value)' }" }
            let cases = values.sorted { $0.key < $1.key }.map { minute, value in
                let samples = value.map { "[{ labels: '\(labels)', value: \($0) }]" } ?? "[]"
                return "      - { expr: '\(expression)', eval_time: \(minute)m, exp_samples: \(samples) }"
            }
            let lines = ["rule_files: []", "tests:", "  - interval: 1m", "    input_series:"]
            let folder = try TemporaryFolder()
            let file = try folder.write(
                "count.test.yml",
                (lines + input + ["    promql_expr_test:"] + cases).joined(separator: "\n") + "\n"
            )
            let outcome = try await run(["promtool", "test", "rules", file])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }
}
