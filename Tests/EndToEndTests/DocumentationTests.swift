import Foundation
import Lab
import Testing

extension EndToEndTests {
    /// What the documentation names, `/metrics` prints.
    @Suite struct Documentation {
        /// Those of all golden scrapes.
        private static func printed() throws -> [String] {
            try ["metrics.txt", "series.txt", "later.txt"].flatMap { try GoldenFile($0).families }
                .filter { $0.hasPrefix("network_health_") }
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

        /// Both ways: a family that no golden scrape has could change its name, its type or its text unnoticed.
        @Test func `the families of the metrics table are those of the golden scrapes`() throws {
            let rows = try Repository.text("docs/metrics.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
            let documented = rows.compactMap { $0.split(separator: " | ").first }.flatMap { names in
                names.matches(of: /`(network_health_\w+)`/).map { String($0.1) }
            }
            #expect(documented.count > 100)
            #expect(Set(documented).symmetricDifference(try Self.printed()).isEmpty)
        }
    }
}
