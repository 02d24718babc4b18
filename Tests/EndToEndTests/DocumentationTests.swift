import Testing

extension EndToEndTests {
    /// What the documentation names, `/metrics` prints.
    @Suite struct Documentation {
        /// Shown only after something has happened.
        private static let later = [
            "network_health_last_transition_timestamp_seconds", "network_health_last_outage_start_timestamp_seconds",
            "network_health_last_outage_end_timestamp_seconds", "network_health_last_outage_info",
            "network_health_clock_skew_seconds", "network_health_queue_oldest_request_age_seconds",
        ]

        private static func printed() throws -> [String] {
            let golden = try ["metrics.txt", "series.txt"].map {
                try Repository.text("Tests/EndToEndTests/Golden/\($0)")
            }
            return golden.joined().matches(of: /# TYPE (network_health_\S+)/).map { String($0.1) } + later
        }

        @Test(arguments: [
            "README.md", "CONTRIBUTING.md", "docs/container.md", "docs/contacted-hosts.md", "docs/configuration.md",
            "docs/speedtest.md", "grafana/README.md", "grafana/dashboards/network-health.json",
            "grafana/alerts/network-health.rules.yml", "grafana/alerts/network-health.test.yml",
        ])
        func `names no metric that is not printed`(file: String) throws {
            let printed = try Self.printed()
            let named = try Repository.text(file).matches(of: /network_health_[a-z0-9_]*[a-z0-9]/).map { String($0.0) }
            // A histogram's series have names of their own.
            let families = named.map { $0.replacing(/_(bucket|count|sum)$/, with: "") }
            #expect(Set(families).subtracting(printed).isEmpty)
        }

        @Test func `the metrics table has every family`() throws {
            let readme = try Repository.text("README.md")
            #expect(try Self.printed().filter { !readme.contains("`\($0)`") }.isEmpty)
        }
    }
}
