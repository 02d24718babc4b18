import Foundation
import Testing

extension EndToEndTests {
    /// The rules of Grafana's dashboard-linter, which is a program in Go, and what every dashboard here has.
    @Suite struct GrafanaDashboards {
        private static let source = GrafanaDashboard.Source(type: "prometheus", uid: "${datasource}")
        /// Of the units that Grafana knows, those in use.
        private static let units: Set = ["none", "short", "dBm", "s", "bps", "percentunit", "decbytes"]

        @Test(arguments: GrafanaDashboard.names)
        func `data source, job and instance are variables, job and instance with several values`(name: String) throws {
            let dashboard = try GrafanaDashboard.named(name)
            let variables = dashboard.templating.list
            #expect(variables.map(\.name) == ["datasource", "job", "instance"])
            #expect(variables.map(\.label) == ["Data source", "Job", "Instance"])
            #expect(variables.map(\.type) == ["datasource", "query", "query"])
            for variable in variables.dropFirst() {
                #expect(variable.datasource == Self.source && variable.refresh == 2)
                #expect(variable.multi && variable.includeAll && variable.allValue == ".+")
                #expect(variable.definition?.hasPrefix("label_values(network_health_exporter_build_info") == true)
            }
            #expect(variables.last?.definition?.contains(#"{job=~"$job"}"#) == true)
            // Provisioned: a change in the browser could not be saved.
            #expect(!dashboard.editable)
        }

        @Test(arguments: GrafanaDashboard.names)
        func `each panel has a title, a description, a unit and the chosen data source`(name: String) throws {
            let panels = try GrafanaDashboard.named(name).panels
            #expect(panels.count > 10)
            for panel in panels where panel.type != "row" {
                #expect(!panel.title.isEmpty && panel.description?.isEmpty == false, "\(panel.title)")
                #expect(panel.fieldConfig.map { Self.units.contains($0.defaults.unit) } == true, "\(panel.title)")
                #expect(panel.datasource == Self.source && panel.targets?.isEmpty == false, "\(panel.title)")
                #expect(panel.targets?.allSatisfy { $0.datasource == Self.source } == true, "\(panel.title)")
            }
        }

        @Test(arguments: GrafanaDashboard.names)
        func `each selector is about the chosen jobs and instances`(name: String) throws {
            let expressions = try GrafanaDashboard.named(name).expressions
            #expect(!expressions.isEmpty)
            for expression in expressions {
                let selectors = expression.matches(of: /network_health_[a-z0-9_:]+/).count
                let chosen = expression.ranges(of: #"{job=~"$job",instance=~"$instance""#).count
                #expect(selectors > 0 && selectors == chosen, "\(expression)")
            }
        }

        @Test(arguments: GrafanaDashboard.names)
        func `rates have the rate interval, and counters are shown by their increase`(name: String) throws {
            for expression in try GrafanaDashboard.named(name).expressions {
                for rate in expression.matches(of: /rate\([a-z_]+\{[^}]*\}\[([^\]]*)\]/) {
                    #expect(rate.1 == "$__rate_interval", "\(expression)")
                }
                // Bars: `increase` loses what happens in a gap between scrapes, which a difference shows.
                let difference =
                    /last_over_time\(\w+_(total|bucket)\{[^}]*\}\[1d\] offset \$__interval\)\) >= 0 or increase/
                guard !expression.contains(difference) else { continue }
                for counter in expression.matches(of: /(\w*)\(?\b\w+_(?:total|bucket)\{/) {
                    #expect(["rate", "increase"].contains(String(counter.1)), "\(expression)")
                }
            }
        }

        @Test(arguments: GrafanaDashboard.names)
        func `bars have a fixed interval, so that an event is in one of them`(name: String) throws {
            let bars = try GrafanaDashboard.named(name).panels
                .filter { $0.targets?.contains { $0.expr.contains("offset $__interval") } == true }
            #expect(!bars.isEmpty && bars.allSatisfy { $0.interval == "5m" })
        }

        @Test(arguments: GrafanaDashboard.names)
        func `a link to each other dashboard keeps the time, and the chosen hosts except to all of them`(
            name: String
        ) throws {
            let links = try GrafanaDashboard.named(name).links
            let others = links.map { String($0.url.dropFirst("/d/".count).prefix { $0 != "?" }) }
            #expect(others.sorted() == GrafanaDashboard.names.filter { $0 != name }.sorted())
            for (other, link) in zip(others, links) {
                #expect(link.keepTime && !link.includeVars && link.url.contains("${datasource:queryparam}"))
                #expect(link.url.contains("${instance:queryparam}") == (other != "network-health-fleet"))
            }
        }

        @Test func `the list of outages asks for all minutes of six days, not for more than Prometheus has`() throws {
            let table = try GrafanaDashboard.named("network-health").panels.first { $0.type == "table" }
            let points = try #require(table?.maxDataPoints)
            #expect(table?.interval == "1m" && points <= 11_000 && points >= 6 * 24 * 60)
        }

        @Test func `grafana's own model of a dashboard has every panel and query`() async throws {
            let python = try Peer.program("python3")
            let script = "\(Repository.tests)/Fixtures/dashboards.py"
            for name in GrafanaDashboard.names {
                let file = "\(Repository.root)/grafana/dashboards/\(name).json"
                let dashboard = try GrafanaDashboard.named(name)
                let found = try await Peer.object(of: [python, script, file])
                #expect(found["panels"] as? Int == dashboard.panels.count)
                #expect(found["queries"] as? Int == dashboard.panels.flatMap { $0.targets ?? [] }.count)
            }
        }
    }
}
