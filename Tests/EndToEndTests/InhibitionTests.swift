import Foundation
import Testing

extension EndToEndTests {
    /// The alerts that keep others quiet, with Debian's Prometheus, Alertmanager and blackbox_exporter.
    @Suite(.timeLimit(.minutes(2))) struct Inhibition {
        /// Behind the line, and with a requirement of the exporter, too.
        private static let shop = "\(FakeInternet.webIPv4):8081"
        private static let nas = "198.18.0.1:8082"
        /// Nothing listens there.
        private static let broken = "\(FakeInternet.webIPv4):9"

        private static let configuration = FakeInternet.configuration(
            """
            targets: [{ name: shop, module: tcp, address: "\(shop)", interval: 1s }]
            requirements: { shop: { targets: [shop] } }
            """
        )

        /// The names of the targets that were notified so far.
        private static func names(_ receiver: Receiver) -> Set<String> {
            Set(receiver.notified.compactMap { $0["target"] })
        }

        @Test func `No target behind a dead line is notified, and those before it and elsewhere are`() async throws {
            try await withInternet { internet in
                let shop = try await Receiver(Self.shop, in: internet.internet)
                let nas = try await Receiver(Self.nas, in: internet.router)
                let people = try await Receiver("127.0.0.1:9095", in: internet.host)
                let modules = "modules: { tcp: { prober: tcp } }\n"
                let blackbox = try await BlackboxExporter(modules: modules, in: internet.host)
                let alertmanager = try await Alertmanager(notifying: people.address, in: internet.host)
                try await withExporter(configuration: Self.configuration, in: internet.host) { exporter in
                    try await exporter.waitUntilReady()
                    let folder = try TemporaryFolder()
                    let configuration = try Self.prometheus(exporter, blackbox, alertmanager, folder)
                    let prometheus = try await PrometheusServer(configuration: configuration, in: internet.host)
                    // The line is up: its own target is notified.
                    try await poll("broken", within: .seconds(40)) { Self.names(people) == ["broken"] ? true : nil }
                    try await poll("the requirement") {
                        try await exporter.request("/health?requirement=shop").body == "shop\n" ? true : nil
                    }

                    try await internet.cutUpstreamSilently()
                    try await nas.stop()
                    // The shop's address is probed for two sites: both alerts begin with the same scrape.
                    try await poll("the others", within: .seconds(40)) {
                        Self.names(people) == ["broken", "nas", "cabin"] ? true : nil
                    }
                    try await poll("the inhibited alert") {
                        try await alertmanager.alerts().first { $0.labels["target"] == "shop" && $0.isInhibited }
                    }
                    let answer = try await exporter.request("/health?requirement=shop")
                    #expect(answer.status == 503 && !answer.body.contains("target_down"), "\(answer.body)")

                    try await internet.mendUpstreamSilently()
                    try await poll("the shop") { try await prometheus.query(Self.ended("shop")).first }
                    try await poll("its end in Alertmanager") {
                        try await alertmanager.alerts().contains { $0.labels["target"] == "shop" } ? nil : true
                    }
                    #expect(Self.names(people) == ["broken", "nas", "cabin"])
                    #expect(!people.notified.contains { $0["severity"] == "none" }, "\(people.notified)")
                    #expect(try await prometheus.stop() == 0)
                }
                try await alertmanager.stop()
                try await blackbox.stop()
                try await people.stop()
                try await shop.stop()
            }
        }

        private static func ended(_ target: String) -> String {
            #"probe_success{target="\#(target)"} == 1 unless on (target) ALERTS{target="\#(target)"}"#
        }

        private static func prometheus(
            _ exporter: ExporterProcess,
            _ blackbox: BlackboxExporter,
            _ alertmanager: Alertmanager,
            _ folder: TemporaryFolder
        ) throws -> String {
            let rules = try folder.write(
                "network-health.rules.yml",
                Repository.text("grafana/alerts/network-health.rules.yml")
            )
            // Longer than the exporter takes with rounds of a second, as the recipe says, and than a busy machine holds it up.
            let probes = try folder.write(
                "probes.rules.yml",
                """
                groups:
                  - name: probes
                    rules:
                      - { alert: ProbeFailed, expr: 'probe_success{target!="broken"} == 0', for: 15s }
                      - { alert: ProbeFailed, expr: 'probe_success{target="broken"} == 0' }

                """
            )
            let targets = [
                (shop, "target: shop, site: home, via: internet"), (shop, "target: cabin, site: cabin, via: internet"),
                (broken, "target: broken, site: home, via: internet"), (nas, "target: nas, site: home"),
            ].map { "      - { targets: [\"\($0.0)\"], labels: { \($0.1) } }" }.joined(separator: "\n")
            return """
                global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
                rule_files: ["\(rules)", "\(probes)"]
                alerting: { alertmanagers: [{ static_configs: [{ targets: ["\(alertmanager.address)"] }] }] }
                scrape_configs:
                  - job_name: network-health
                    static_configs:
                      - { targets: ["127.0.0.1:\(exporter.port)"], labels: { instance: home, site: home } }
                  - job_name: blackbox
                    metrics_path: /probe
                    params: { module: [tcp] }
                    static_configs:
                \(targets)
                    relabel_configs:
                      - { source_labels: [__address__], target_label: __param_target }
                      - { target_label: __address__, replacement: "\(blackbox.address)" }

                """
        }
    }
}

extension Alertmanager.Alert {
    /// Not notified, since another alert inhibits it.
    fileprivate var isInhibited: Bool { status.state == "suppressed" && !status.inhibitedBy.isEmpty }
}
