import Statistics
import StrictYAML
import Testing

@testable import NetworkHealthExporter

@Suite struct PlanSectionTests {
    private func read(_ yaml: String) throws -> PlanSection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).plan
    }

    @Test func `nothing is promised by default, and each speed is optional`() throws {
        #expect(try read("") == PlanSection())
        let plan = try read(
            "plan: { uplink: eth0, download: { maximum: 100Mbps, minimum: 2.5Mbps }, upload: { normal: 500kbps } }"
        )
        #expect(plan.uplink == "eth0" && plan.download.maximum == 100_000_000 && plan.download.normal == nil)
        #expect(plan.download.minimum == 2_500_000 && plan.upload.normal == 500_000)
        var configuration = Configuration()
        configuration.plan = plan
        #expect(try read(configuration.yaml) == plan)
    }

    @Test(arguments: [
        ("download: { maximum: 10Mbps, normal: 11Mbps }", "plan.download.normal: expected at most maximum"),
        ("upload: { maximum: 10Mbps, minimum: 11Mbps }", "plan.upload.minimum: expected at most maximum"),
        ("upload: { normal: 10Mbps, minimum: 11Mbps }", "plan.upload.minimum: expected at most normal"),
        ("download: { normal: 0 }", "plan.download.normal: expected a rate"),
    ])
    func `what cannot be is refused`(yaml: String, message: String) throws {
        let error = try #require(throws: YAMLErrors.self) { try read("plan: { \(yaml) }") }
        #expect(error.description.hasPrefix("test.yml:1: \(message)"), "\(error.description)")
    }

    @Test func `every test should reach the minimum, else the normal speed, else nine tenths of the maximum`() {
        var rates = PlanSection.Rates()
        #expect(rates.least == nil)
        rates.maximum = 100
        #expect(rates.least?.bitsPerSecond == 90)
        rates.normal = 80
        #expect(rates.least?.bitsPerSecond == 80)
        rates.minimum = 50
        #expect(rates.least?.bitsPerSecond == 50)
    }
}
