import Foundation
import Lab
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics
import Storage
import Testing

@testable import NetworkHealthExporter

/// The names of the uplinks that speed tests were measured on.
struct UplinkNameTests {
    private static let uplink = "eth0 198.18.0.254"

    private static func rule(_ name: String, _ change: (inout UplinkMatch) -> Void) -> UplinkRule {
        var rule = UplinkRule(name)
        change(&rule.match)
        return rule
    }

    private static func plans(_ rules: UplinkRule...) -> Plans { Plans(uplinks: rules) }

    /// By the public address.
    private static let (fibre, lte) = (
        rule("fibre") { $0.publicAddress = AddressRange("198.51.100.0/24") },
        rule("lte") { $0.publicAddress = AddressRange("203.0.113.0/24") }
    )
    private static let cable = rule("cable") { $0.interface = "eth*" }

    private func named(_ name: String?, at time: Double = 1_700_000_000, _ megabits: Double? = 50) -> SpeedTestReport {
        var report = SpeedTestReport.good(at: time, uplink: Self.uplink)
        report.uplinkName = name
        (report.download, report.upload) = (megabits.map { .of($0) }, nil)
        return report
    }

    private func series(_ results: SpeedTestResults) -> [String: Double] {
        results.devices(of: "home", on: Self.uplink).reduce(into: [:]) {
            $0[$1.label] = $1.rates[.download]?.megabits
        }
    }

    @Test func `a reload names and renames the results, and the next test replaces them`() {
        var state = SpeedTestState.home(.init(reports: [named(nil, at: 1000)]))
        #expect(series(state.results) == ["eth0": 50])
        state.plans = Self.plans(Self.cable)
        #expect(series(state.results) == ["cable": 50] && state.results.last?.uplinkLabel == "cable")
        var other = Self.cable
        other.name = "cable b"
        state.plans = Self.plans(other)
        #expect(series(state.results) == ["cable b": 50])
        state.endServer(named("cable b", at: 2000, 60), now: .now)
        #expect(series(state.results) == ["cable b": 60])
        // What only the latency was measured of keeps its speed.
        state.endServer(named("cable b", at: 3000, nil), now: .now)
        #expect(series(state.results) == ["cable b": 60])
        state.plans = Plans()
        #expect(series(state.results) == ["eth0": 60])
    }

    @Test func `what is stored has the names of now, and the same series after a restart`() {
        let reports = [named(nil, at: 1000, 10), named("old", at: 2000, 20), named("cable", at: 3000, nil)]
        let state = SpeedTestState(
            section: SpeedTestState.home().section,
            saved: .init(reports: reports),
            plans: Self.plans(Self.cable),
            now: .now
        )
        #expect(series(state.results) == ["cable": 20])
    }

    @Test func `two lines behind one router are two series, and none has the speed of the other`() {
        var results = SpeedTestResults([named("fibre", at: 1000, 90), named("lte", at: 2000, 20)])
        results.add(named("lte", at: 3000, nil))
        results.add(named(nil, at: 4000, 30))
        #expect(series(results) == ["fibre": 90, "lte": 20, "eth0": 30])
        #expect(results.uplink(Self.uplink)?.rates[.download] == .megabits(30), "the budget is that of the device")
        let plans = Self.plans(Self.fibre, Self.lte)
        results.rename(plans)
        #expect(series(results) == ["fibre": 90, "lte": 20, "eth0": 30])
        results.rename(Self.plans(Self.fibre))
        #expect(series(results) == ["fibre": 90, "eth0": 30], "of two that have become the same one the last stays")
    }

    @Test func `a plan is that of the line of the test, and lines behind one router confirm nothing about each other`()
    {
        var (fibre, lte) = (Self.fibre, Self.lte)
        fibre.plan.download.normal = 100_000_000
        lte.plan.download.normal = 10_000_000
        let plans = Self.plans(fibre, lte)
        #expect(plans[named("fibre")][.download][.normal] == .megabits(100))
        #expect(plans[named("lte")][.download][.normal] == .megabits(10))
        #expect(plans[named(nil)] == SpeedPlan() && plans[Uplink.local, name: nil] == SpeedPlan())
        let rule = PlanRule(plans: plans)
        #expect(rule.verdict(named("fibre"), .download) == .short && rule.verdict(named("lte"), .download) == .met)
        #expect(rule.doubts([named("lte"), named("fibre")], over: Self.uplink) == [.download])
        #expect(rule.shortfalls([named("fibre"), named("lte")]).map(\.confirmation) == [.failed])
        #expect(rule.shortfalls([named("fibre"), named("fibre")]).map(\.uplink) == ["fibre"])
        var line = plans
        (line.line.uplink, line.line.speeds.download.normal) = ("fibre", 1_000_000)
        line.uplinks[0].plan = SpeedPlan()
        #expect(line[named("fibre")][.download][.normal] == .megabits(1), "plan names it, too")
    }

    @Test func `the first rule that matches names a test`() {
        let plans = Self.plans(Self.fibre, Self.cable)
        #expect(plans.name(of: Self.uplink, found: "fibre") == "fibre")
        #expect(plans.name(of: Self.uplink, found: nil) == "cable")
        #expect(plans.name(of: Self.uplink, found: "gone") == "cable")
        #expect(plans.name(of: "wwan0 192.0.2.1", found: nil) == nil && plans.name(of: "wlan0", found: "lte") == nil)
        let router = Self.rule("router") { $0.gateway = IPAddress("fe80::1") }
        #expect(Self.plans(router).name(of: "eth0 fe80::1%eth0", found: nil) == "router")
        #expect(plans.name(of: Uplink.local, found: nil) == nil && plans.name(of: Uplink.none, found: nil) == nil)
    }

    @Test func `the name is in the JSON, in the file, and adopted by a container`() async throws {
        let report = named("Cable / b")
        #expect(String(decoding: report.json, as: UTF8.self).contains(#""uplinkName":"Cable"#))
        let history = SpeedTestHistory(database: try Database(file: nil, schema: .exporter))
        try await history.add(report)
        #expect(try await history.load().reports == [report])
        await history.database.close()
        let results = SpeedTestResults([report])
        let document = SpeedTestDocument(
            last: LastSpeedTest(report: report, bytesPerMonth: nil),
            results: results.servers
        )
        let adopted = HostSpeedTests(String(decoding: document.json, as: UTF8.self))?.document
        #expect(adopted?.json == document.json && adopted?.results.map(\.label) == ["Cable / b"])
    }

    @Test func `the label joins with the information of the uplink in use`() throws {
        let fixture = try CollectorFixture()
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0), .blocked(1)], fixture.health.current)
        let uplink = try #require(fixture.health.current?.uplink)
        #expect(fixture.speedTests.board.name(of: uplink.name) == nil)
        var configuration = fixture.context.configuration
        configuration.uplinks = [Self.cable, Self.rule("other") { $0.interface = "eth1" }]
        fixture.speedTests.apply(configuration)
        fixture.uplinks.apply(configuration)
        #expect(fixture.speedTests.board.name(of: uplink.name) == "cable")
        configuration.uplinks = [Self.fibre]
        configuration.stun.servers = [try #require(SocketAddress("192.0.2.9:3478"))]
        fixture.speedTests.apply(configuration)
        fixture.uplinks.apply(configuration)
        #expect(fixture.speedTests.board.name(of: uplink.name) == nil)
        var findings = PublicAddressWatch.Findings()
        findings.addresses = [.ipv4: [try #require(IPAddress("198.51.100.9"))]]
        fixture.uplinks.take(findings, over: uplink)
        #expect(fixture.speedTests.board.name(of: uplink.name) == "fibre")
    }
}
