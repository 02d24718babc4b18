import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct GatewaySectionTests {
    private func read(_ yaml: String) throws -> Configuration {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
    }

    @Test func `the router is watched by default, every ten seconds`() throws {
        let configuration = try read("")
        #expect(configuration.gateway == GatewaySection())
        #expect(configuration.allTargets == [.gateway(every: .seconds(10), isAutomatic: true)])
        #expect(configuration.targets.all.isEmpty)
        #expect(configuration.yaml.contains("gateway:\n  enabled: auto\n  interval: 10s\n"))
    }

    @Test func `also without probes of the internet, everywhere on request, or not at all`() throws {
        #expect(try read("internet: { enabled: false }").allTargets.count == 1)
        #expect(
            try read("gateway: { enabled: true, interval: 1s }").allTargets
                == [.gateway(every: .seconds(1), isAutomatic: false)]
        )
        #expect(try read("gateway: { enabled: false }").allTargets.isEmpty)
    }

    @Test func `a target of that name takes its place, and it comes after the others`() throws {
        let own = try read("targets: [{ name: gateway, module: tcp, address: \"192.0.2.1:53\" }]")
        #expect(own.allTargets.map(\.module) == ["tcp"])
        let other = try read("targets: [{ name: a, module: icmp, address: _gateway }]")
        #expect(other.allTargets.map(\.name) == ["a", "gateway"])
    }

    @Test func `a requirement may name it while it is enabled`() throws {
        let requirement = "requirements: { lan: { targets: [gateway] } }"
        #expect(try read(requirement).requirements.own.count == 1)
        #expect(throws: YAMLErrors.self) { try read("gateway: { enabled: false }\n\(requirement)") }
    }

    @Test(arguments: ["enabled: 1", "interval: 0s", "timeout: 1s"])
    func `what is none of its values is an error`(text: String) {
        #expect(throws: YAMLErrors.self) { try read("gateway: { \(text) }") }
    }
}
