import Foundation
import NetworkHealth
import PrometheusExposition
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

@Suite struct PlanRuleTests {
    private static let plan = PlanSection(download: .init(normal: 100_000_000), upload: .init(minimum: 5_000_000))

    private func rule(_ change: (inout PlanSection) -> Void = { _ in }, linkSpeed: UInt64? = nil) -> PlanRule {
        var plan = Self.plan
        change(&plan)
        return PlanRule(plan: plan, linkSpeed: linkSpeed)
    }

    /// A test of so many Mbit/s down, against a server.
    private func test(
        _ megabits: Double?,
        on server: String = "home",
        _ change: (inout DirectionReport) -> Void = { _ in }
    )
        -> SpeedTestReport
    {
        var report = SpeedTestReport.good()
        (report.server, report.upload) = (server, nil)
        report.download = megabits.map { .of($0, change) }
        return report
    }

    @Test func `a speed that the plan promises is met, also where something limited it`() {
        #expect(rule().verdict(test(100), .download) == .met)
        #expect(rule().verdict(test(100) { $0.limits = [.cpu] }, .download) == .met)
        #expect(rule().verdict(test(99.9), .download) == .short)
        #expect(rule().verdict(test(nil), .download) == .unknown)
        #expect(
            rule().verdict(.good(), .upload) == .met
                && rule { $0.upload.minimum = 11_000_000 }.verdict(.good(), .upload) == .short
        )
    }

    @Test func `the place of a fault is looked for in the direction that reached the least of its promise`() throws {
        func facts(_ plan: PlanSection, endedAgo age: TimeInterval = 60) -> SpeedTestFacts? {
            SpeedTestFacts(.good(at: Date.now.timeIntervalSince1970 - 12.5 - age), plan, at: .now)
        }
        // Of 200 down 100 came, of 11 up 10.
        let slow = try #require(
            facts(PlanSection(download: .init(normal: 200_000_000), upload: .init(minimum: 11_000_000)))
        )
        #expect(slow.rate == 100e6 && slow.expected == 200e6)
        #expect(facts(PlanSection(upload: .init(normal: 20_000_000)))?.rate == 10e6)
        // Nothing is promised there: the one that something limited.
        let none = try #require(facts(PlanSection(uplink: "wwan0", download: .init(normal: 200_000_000))))
        #expect(none.rate == 100e6 && none.expected == nil)
        #expect(facts(PlanSection(), endedAgo: 86_500) == nil)
    }

    @Test(arguments: [DirectionReport.Limit.cpu, .crossTraffic, .server])
    func `a shortfall that this host, other traffic or the server explains is none`(limit: DirectionReport.Limit) {
        #expect(rule().verdict(test(50) { $0.limits = [limit] }, .download) == .unknown)
    }

    @Test func `a bytes limit explains nothing, a port does, and so does a rate that the device did not receive`() {
        #expect(rule().verdict(test(50) { $0.limits = [.dataCap] }, .download) == .short)
        #expect(rule(linkSpeed: 100_000_000).verdict(test(91), .download) == .unknown)
        #expect(rule(linkSpeed: 100_000_000).verdict(test(89), .download) == .short)
        #expect(rule().verdict(test(200) { $0.exceedsDevice = true }, .download) == .unknown)
    }

    @Test func `a plan is for its uplink, and for no test that stays on this host`() {
        #expect(rule { $0.uplink = "eth0" }.verdict(test(50), .download) == .short)
        #expect(rule { $0.uplink = "wwan0" }.verdict(test(50), .download) == .unknown)
        var local = test(50)
        local.isLocal = true
        #expect(rule().verdict(local, .download) == .unknown)
        #expect(PlanRule(plan: PlanSection()).verdict(test(1), .download) == .unknown)
    }

    @Test(
        arguments: [
            ([], [], nil), ([100], [], nil), ([50], [.download], .failed), ([nil], [], nil),
            ([50, 50], [], .confirmed), ([50, 100], [], .refuted), ([50, nil], [.download], .failed),
        ] as [([Double?], [Direction], PlanRule.Confirmation?)]
    )
    func `one shortfall is doubted, two confirm it, and a server that reaches the speed refutes it`(
        speeds: [Double?],
        doubts: [Direction],
        confirmation: PlanRule.Confirmation?
    ) {
        let reports = speeds.enumerated().map { test($0.element, on: "\($0.offset)") }
        #expect(rule().doubts(reports) == doubts)
        #expect(rule().confirmation(reports) == confirmation)
    }

    @Test func `a retest takes another server where there is one`() {
        var other = SpeedTestServer.home
        other.name = "other"
        #expect(rule().server(after: [test(50)], of: [.home, other])?.name == "other")
        #expect(rule().server(after: [test(50)], of: [.home])?.name == "home")
        #expect(rule().server(after: [test(50), test(nil, on: "other")], of: [.home, other])?.name == "other")
    }

    @Test func `the metrics have the plan, the last speed as a share of it, and a series for each result`() {
        #expect(PlanMetrics.families(.init(plan: PlanSection(), results: [], confirmations: [:])).isEmpty)
        let facts = PlanMetrics.Facts(plan: Self.plan, results: [.init(.good())], confirmations: [.confirmed: 2])
        let families = PlanMetrics.families(facts)
        #expect(families.map(\.samples.count) == [2, 1, 3])
        #expect(families[1].samples.first?.labels == ["server": "home", "uplink": "eth0", "direction": "download"])
    }
}
