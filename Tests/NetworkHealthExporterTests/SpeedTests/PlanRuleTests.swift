import Foundation
import NetworkHealth
import NetworkPath
import Posix
import PrometheusExposition
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

@Suite struct PlanRuleTests {
    private static let plan = Plans.of(download: .init(normal: 100_000_000), upload: .init(minimum: 5_000_000))

    private func rule(_ change: (inout Plans) -> Void = { _ in }) -> PlanRule {
        var plan = Self.plan
        change(&plan)
        return PlanRule(plans: plan)
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
                && rule { $0.line.speeds.upload.minimum = 11_000_000 }.verdict(.good(), .upload) == .short
        )
    }

    @Test func `the place of a fault is looked for in the direction that reached the least of its promise`() throws {
        func facts(_ plan: Plans, endedAgo age: TimeInterval = 60) -> SpeedTestFacts? {
            SpeedTestFacts(.good(at: Date.now.timeIntervalSince1970 - 12.5 - age), plan, at: .now)
        }
        // Of 200 down 100 came, of 11 up 10.
        let slow = try #require(
            facts(Plans.of(download: .init(normal: 200_000_000), upload: .init(minimum: 11_000_000)))
        )
        #expect(slow.rate == 100e6 && slow.expected == 200e6)
        #expect(facts(Plans.of(upload: .init(normal: 20_000_000)))?.rate == 10e6)
        // Nothing is promised there: the one that something limited.
        let none = try #require(facts(Plans.of(uplink: "wwan0", download: .init(normal: 200_000_000))))
        #expect(none.rate == 100e6 && none.expected == nil)
        #expect(facts(Plans(), endedAgo: 86_500) == nil)
    }

    @Test(arguments: [DirectionReport.Limit.cpu, .crossTraffic, .server, .linkSpeed])
    func `a shortfall that this host, its port, other traffic or the server explains is none`(
        limit: DirectionReport.Limit
    ) {
        #expect(rule().verdict(test(50) { $0.limits = [limit] }, .download) == .unknown)
    }

    @Test
    func
        `a bytes limit explains nothing, a queue on this host's link does, and so does a rate that the device did not receive`()
    {
        #expect(rule().verdict(test(50) { $0.limits = [.dataCap] }, .download) == .short)
        #expect(rule().verdict(test(50) { $0.queue = .link }, .download) == .unknown)
        #expect(rule().verdict(test(50) { $0.queue = .access }, .download) == .short)
        #expect(rule().verdict(test(200) { $0.exceedsDevice = true }, .download) == .unknown)
    }

    @Test func `a plan is for its uplink, and for no test that stays on this host`() {
        #expect(rule { $0.line.uplink = "eth0" }.verdict(test(50), .download) == .short)
        #expect(rule { $0.line.uplink = "wwan0" }.verdict(test(50), .download) == .unknown)
        var local = test(50)
        local.isLocal = true
        #expect(rule().verdict(local, .download) == .unknown)
        #expect(PlanRule(plans: Plans()).verdict(test(1), .download) == .unknown)
    }

    /// The line at 100 Mbit/s, and a modem of 20.
    private static var withModem: Plans {
        var (cable, modem) = (UplinkRule("cable"), UplinkRule("modem"))
        cable.match.gateway = IPAddress("198.18.0.254")
        modem.match.interface = "wwan*"
        modem.plan.download.normal = 20_000_000
        var plans = Self.plan
        plans.uplinks = [cable, modem]
        return plans
    }

    private func test(_ megabits: Double, over uplink: String, on server: String = "home") -> SpeedTestReport {
        var report = test(megabits, on: server)
        (report.uplink, report.upload) = (uplink, .of(1))
        return report
    }

    @Test(
        arguments: [
            ("eth0 198.18.0.254", 50.0, PlanRule.Verdict.short), ("eth0 198.18.0.254", 100, .met),
            ("eth1 192.0.2.1", 50, .short),
            ("wwan0 198.18.0.254", 50, .short), ("wwan0 192.0.2.1", 50, .met), ("wwan0", 19, .short),
            ("wg0/wwan0", 50, .met),
            ("wg0/wwan0", 19, .short), ("local", 1, .unknown),
        ] as [(String, Double, PlanRule.Verdict)]
    )
    func `a test is compared with the plan of its uplink, without one with that of the line`(
        uplink: String,
        megabits: Double,
        verdict: PlanRule.Verdict
    ) {
        #expect(PlanRule(plans: Self.withModem).verdict(test(megabits, over: uplink), .download) == verdict)
    }

    @Test func `a plan of an uplink replaces that of the line in both directions`() {
        let rule = PlanRule(plans: Self.withModem)
        #expect(rule.verdict(test(20, over: "eth0"), .upload) == .short)
        #expect(rule.verdict(test(20, over: "wwan0"), .upload) == .unknown)
    }

    @Test func `a test over one uplink neither confirms nor refutes one over another`() {
        let rule = PlanRule(plans: Self.withModem)
        let reports = [test(50, over: "eth0"), test(10, over: "wwan0", on: "other")].map { report in
            var report = report
            report.upload = nil
            return report
        }
        #expect(rule.doubts(reports, over: "wwan0") == [.download])
        #expect(rule.doubts(reports, over: "eth0") == [], "the path has left the line of the last test")
        var cancelled = reports
        cancelled[1].failure = SpeedTestFailure(.cancelled, "")
        #expect(rule.doubts(cancelled, over: "wwan0") == [])
        let found = rule.shortfalls(reports)
        #expect(found.map(\.uplink) == ["eth0", "wwan0"] && found.map(\.confirmation) == [.failed, .failed])
        #expect(found.map(\.least.bitsPerSecond) == [100e6, 20e6])
        let both = rule.shortfalls(reports + [reports[1], reports[0]])
        #expect(both.map(\.confirmation) == [.confirmed, .confirmed])
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
        #expect(rule().doubts(reports, over: reports.last?.uplink ?? "") == doubts)
        #expect(rule().shortfalls(reports).first?.confirmation == confirmation)
    }

    private static let queues: [([(Double, QueueLocation?)], FaultLocation)] = [
        ([(50, .access), (50, .access)], .access), ([(50, .provider), (49, .provider)], .provider),
        ([(50, .access), (50, .provider)], .unknown), ([(50, .access), (50, nil)], .unknown),
        ([(50, .nowhere), (50, .nowhere)], .unknown), ([(50, .unknown), (50, .unknown)], .unknown),
        ([(50, .access), (100, .access)], .destination), ([(100, nil), (50, .access)], .destination),
        ([(50, .access)], .unknown),
    ]

    @Test(arguments: queues)
    func `one slow server is a destination, and where all are slow the queue shows the place`(
        tests: [(Double, QueueLocation?)],
        place: FaultLocation
    ) {
        let reports = tests.enumerated().map { index, one in test(one.0, on: "\(index)") { $0.queue = one.1 } }
        #expect(rule().shortfalls(reports).map(\.location) == [place])
    }

    @Test func `a shortfall says what was measured, by which servers, and whom to call`() throws {
        let reports = [test(47.8) { $0.queue = .access }, test(48.1, on: "other") { $0.queue = .access }]
        let confirmed = try #require(rule().shortfalls(reports).first)
        #expect(
            confirmed.sentence
                == "Download: 47.8 Mbit/s of the plan's 100 Mbit/s, confirmed by a second test (48.1 Mbit/s by other). Whom to call: check modem and cables, then call the provider."
        )
        let json = try #require(JSONSerialization.jsonObject(with: Data(confirmed.json)) as? [String: Any])
        #expect(json["measuredMbps"] as? Double == 47.8 && json["normalMbps"] as? Double == 100)
        #expect(json["server"] as? String == "home" && json["secondServer"] as? String == "other")
        #expect(json["confirmation"] as? String == "confirmed" && json["location"] as? String == "access")
        let refuted = try #require(rule().shortfalls([test(47.8), test(100, on: "other")]).first)
        #expect(
            refuted.sentence
                == "Download: 47.8 Mbit/s of the plan's 100 Mbit/s by home alone: another test reached the plan (100 Mbit/s by other)."
        )
        let failed = try #require(
            rule {
                $0.line.speeds.download.normal = nil
                $0.line.speeds.download.minimum = 60_000_000
            }.shortfalls([test(50)]).first
        )
        #expect(failed.sentence == "Download: 50 Mbit/s of the plan's 60 Mbit/s, which no second test has confirmed.")
        #expect(String(decoding: failed.json, as: UTF8.self).contains(#""normalMbps":null"#))
    }

    /// Speeds in Mbit/s, each by a server.
    private static let repeated: [([(Double, String)], FaultLocation)] = [
        ([(50, "home"), (100, "home")], .unknown), ([(50, "home"), (100, "home"), (100, "other")], .unknown),
        ([(50, "home"), (50, "other"), (100, "third")], .unknown),
        ([(50, "home"), (50, "home"), (100, "other")], .destination),
    ]

    @Test(arguments: repeated)
    func `a server is slow alone where it was always short, and another one was not`(
        tests: [(Double, String)],
        place: FaultLocation
    ) throws {
        let found = try #require(rule().shortfalls(tests.map { test($0.0, on: $0.1) }).first)
        #expect(found.confirmation == .refuted && found.location == place)
        #expect(found.sentence.contains("alone") == (place == .destination))
    }

    @Test func `a server that reaches the plan at the second time is not called slow`() throws {
        let found = try #require(rule().shortfalls([test(47.8), test(100)]).first)
        #expect(
            found.sentence
                == "Download: 47.8 Mbit/s of the plan's 100 Mbit/s by home: a second test reached the plan (100 Mbit/s by home)."
        )
    }

    @Test func `of a plan with a maximum alone the maximum is named, and what is enough of it`() throws {
        let plan = Plans.of(uplink: "eth0", download: .init(maximum: 100_000_000))
        #expect(
            plan["eth0 198.18.0.254", name: nil].download.named?.bitsPerSecond == 100e6
                && plan["wwan0", name: nil] == SpeedPlan()
        )
        #expect(
            PlanRule(plans: plan).shortfalls([test(47.8)]).map(\.sentence) == [
                "Download: 47.8 Mbit/s of the plan's 100 Mbit/s (90 Mbit/s are enough), which no second test has confirmed."
            ]
        )
        let both = rule { $0.line.speeds.download = .init(maximum: 100_000_000, minimum: 60_000_000) }.shortfalls([
            test(50)
        ])
        #expect(both.first?.sentence.hasPrefix("Download: 50 Mbit/s of the plan's 60 Mbit/s, which") == true)
    }

    @Test(arguments: [(100.0, 590.0, true), (99, 590, false), (100, 611, false)])
    func `a slow test is one of its server where another server gave the promise within ten minutes`(
        other: Double,
        before: Double,
        isReached: Bool
    ) throws {
        let now = Date.now.timeIntervalSince1970 - 60
        var slow = SpeedTestReport.good(at: now)
        slow.download = .of(50)
        var fast = SpeedTestReport.good(at: now - before)
        (fast.server, fast.download) = ("other", .of(other))
        let facts = SpeedTestFacts(slow, beside: [.init(slow), .init(fast)], Self.plan, at: .now)
        #expect(facts?.rate == 50e6 && facts?.reachedBy == (isReached ? "other" : nil))
    }

    @Test func `a retest takes another server where there is one`() {
        var other = SpeedTestServer.home
        other.name = "other"
        #expect(rule().server(after: [test(50)], of: [.home, other])?.name == "other")
        #expect(rule().server(after: [test(50)], of: [.home])?.name == "home")
        #expect(rule().server(after: [test(50), test(nil, on: "other")], of: [.home, other])?.name == "other")
    }

    @Test func `the metrics have the plan, the last speed as a share of it, and a series for each result`() {
        #expect(PlanMetrics.families(.init(plans: Plans(), results: [], confirmations: [:])).isEmpty)
        let facts = PlanMetrics.Facts(plans: Self.plan, results: [.init(.good())], confirmations: [.confirmed: 2])
        let families = PlanMetrics.families(facts)
        #expect(families.map(\.samples.count) == [2, 1, 3])
        #expect(families[1].samples.first?.labels == ["server": "home", "uplink": "eth0", "direction": "download"])
    }

    @Test func `the metrics have each plan under the name of its uplink, and compare each test with its own`() {
        var report = SpeedTestReport.good()
        report.uplink = "wwan0 192.0.2.1"
        var plans = Self.withModem
        func families() -> [MetricFamily] {
            PlanMetrics.families(.init(plans: plans, results: [.init(report)], confirmations: [:]))
        }
        let modem: Labels = ["uplink": "modem", "direction": "download", "level": "normal"]
        #expect(families()[0].samples.map(\.value) == [12.5e6, 625e3, 2.5e6].map(\.metricValue))
        #expect(families()[0].samples.last?.labels == modem)
        #expect(families()[1].samples.map(\.value) == [5.0].map(\.metricValue), "100 Mbit/s of 20")
        plans.line.uplink = "modem"
        #expect(families()[0].samples.map(\.labels) == [modem], "no series is there twice")
        (plans.line, plans.uplinks) = (PlanSection(), [UplinkRule("cable")])
        #expect(families().isEmpty)
    }
}
