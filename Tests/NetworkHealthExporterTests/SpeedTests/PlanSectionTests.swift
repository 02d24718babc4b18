import NetworkHealth
import Statistics
import StrictYAML
import Testing

@testable import NetworkHealthExporter

@Suite struct PlanSectionTests {
    private func read(_ yaml: String) throws -> Plans {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).plans
    }

    @Test func `nothing is promised by default, and each speed is optional`() throws {
        #expect(try read("") == Plans())
        let plans = try read(
            "plan: { uplink: eth0, download: { maximum: 100Mbps, minimum: 2.5Mbps }, upload: { normal: 500kbps } }"
        )
        let speeds = plans.line.speeds
        #expect(plans.line.uplink == "eth0" && speeds.download.maximum == 100_000_000 && speeds.download.normal == nil)
        #expect(speeds.download.minimum == 2_500_000 && speeds.upload.normal == 500_000)
        var configuration = Configuration()
        configuration.plan = plans.line
        #expect(try read(configuration.yaml) == plans)
    }

    @Test func `an uplink has a plan of its own`() throws {
        let plans = try read(
            "uplinks: [{ name: lte, match: { interface: wwan0 }, plan: { download: { normal: 20Mbps } } }]"
        )
        #expect(plans.line == PlanSection() && plans.uplinks.map(\.plan.download.normal) == [20_000_000])
        var configuration = Configuration()
        configuration.uplinks = plans.uplinks
        #expect(try read(configuration.yaml) == plans)
        let error = try #require(throws: YAMLErrors.self) {
            try read(
                "uplinks: [{ name: a, match: { interface: b }, plan: { upload: { maximum: 1Mbps, minimum: 2Mbps } } }]"
            )
        }
        #expect(error.description.contains("uplinks[0].plan.upload.minimum: expected at most maximum"), "\(error)")
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
        var rates = SpeedPlan.Rates()
        #expect(rates.least == nil)
        rates.maximum = 100
        #expect(rates.least?.bitsPerSecond == 90)
        rates.normal = 80
        #expect(rates.least?.bitsPerSecond == 80)
        rates.minimum = 50
        #expect(rates.least?.bitsPerSecond == 50)
    }
}
