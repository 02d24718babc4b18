import Testing

extension EndToEndTests {
    /// `scripts/lib/left-out`: what a change does not need.
    @Suite(.timeLimit(.minutes(1))) struct Changes {
        private static let all: Set<String> = [
            "fuzz", "openapi", "grafana", "package", "queue", "speed", "network", "server",
        ]

        private static let cases: [(path: String, needed: Set<String>)] = [
            ("README.md", []), ("grafana/mixin/config.libsonnet", ["grafana"]), ("Dockerfile", ["package"]),
            ("deploy/compose.yml", ["grafana", "package"]),
            ("Sources/CAssets/openapi.json", ["openapi", "package", "server"]),
            ("Sources/NetworkHealthExporter/Requirements/HealthView.swift", ["fuzz", "openapi", "queue", "server"]),
            ("Sources/NetworkHealthExporter/Uplinks/UplinkMetrics.swift", ["grafana", "network"]),
            ("Sources/Probing/Probe.swift", ["fuzz", "speed", "network"]),
            ("Sources/StrictYAML/YAMLText.swift", ["fuzz"]), ("Package.resolved", all), ("scripts/test", all),
        ]

        @Test(arguments: cases)
        func `a change leaves out only tests that its paths do not need`(path: String, needed: Set<String>) async throws
        {
            let printed = try await output(of: [
                "sh", "-c", "echo \"$0\" | \"$1\"", path, "\(Repository.root)/scripts/lib/left-out",
            ])
            let names = printed.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(Set(names) == Self.all.subtracting(needed))
        }

        @Test func `of several paths each needs its own tests`() async throws {
            let paths = "grafana/mixin/config.libsonnet\nSources/StrictYAML/YAMLText.swift"
            let printed = try await output(of: [
                "sh", "-c", "echo \"$0\" | \"$1\"", paths, "\(Repository.root)/scripts/lib/left-out",
            ])
            #expect(!printed.contains("grafana") && !printed.contains("fuzz") && printed.contains("openapi "))
        }
    }
}
