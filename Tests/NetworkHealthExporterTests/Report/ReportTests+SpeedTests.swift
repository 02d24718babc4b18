import Foundation
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

/// What is concluded from speed tests.
extension ReportTests {
    /// So many tests in the morning of successive days, and so many in the evening.
    func tests(_ others: Int, _ evenings: Int, of speeds: (Double, Double) = (200, 100)) -> [SpeedTestReport] {
        func tests(_ count: Int, _ hour: Double, _ speed: Double) -> [SpeedTestReport] {
            (0..<count).map { index in
                var test = SpeedTestReport.good(at: Self.since + Double(index) * Self.day + hour * 3600)
                (test.download, test.upload) = (.of(speed + Double(index) / 10), nil)
                return test
            }
        }
        return tests(others, 8, speeds.0) + tests(evenings, 21, speeds.1)
    }

    @Test func `nothing is concluded from fewer tests than named`() throws {
        let few = try report(Report.Rows(tests: tests(4, 0)), days: 40).findings
        #expect(
            few.contains {
                !$0.concluded && $0.says == "Download over eth0: nothing is concluded from 4 tests; 5 are needed."
            }
        )
        let some = try report(Report.Rows(tests: tests(10, 9)), days: 40).findings
        #expect(some.contains { $0.concluded && $0.what == .speed && $0.measurements == 19 })
        #expect(
            some.contains {
                !$0.concluded
                    && $0.says
                        == "Download over eth0, evenings (20 to 23 h): nothing is concluded from 9 tests then and 10 at other times; 10 each are needed."
            }
        )
    }

    @Test(arguments: [
        (200.0, 100.0, true), (200, 155, true), (200, 165, false), (100, 200, false), (200, 200, false),
    ])
    func `evenings are slow where their median and their ranks are lower`(others: Double, evening: Double, isSlow: Bool)
        throws
    {
        let findings = try report(Report.Rows(tests: tests(12, 11, of: (others, evening))), days: 40).findings
        let finding = try #require(findings.first { $0.what == .evening && $0.concluded })
        #expect(finding.says.contains("slower by") == isSlow && finding.measurements == 23, "\(finding.says)")
    }

    @Test func `a test that this host or other traffic limited counts for no speed`() throws {
        var tests = tests(6, 0)
        tests[0].download?.limits = [.crossTraffic]
        tests[1].download?.limits = [.cpu]
        tests[2].download?.exceedsDevice = true
        tests[3].download?.limits = [.dataCap]
        let report = try report(Report.Rows(tests: tests), days: 40)
        #expect(report.speeds.map(\.series.points.count) == [3] && report.speeds.map(\.excluded) == [3])
    }

    /// A round each day at eight: the tests of so many Mbit/s follow each other, each by a server of its own.
    private func rounds(_ rounds: [[Double]], pause: Double = 5) -> [SpeedTestReport] {
        rounds.enumerated().flatMap { day, speeds in
            speeds.enumerated().map { index, speed in
                let at = Self.since + Double(day) * Self.day + 8 * 3600 + Double(index) * (12.5 + pause)
                var test = SpeedTestReport.good(at: at)
                (test.server, test.upload) = (["home", "other", "third"][index], nil)
                test.download = .of(speed) { $0.queue = .access }
                return test
            }
        }
    }

    @Test(arguments: [(120.0, 1), (121, 2)])
    func `a test that follows within two minutes is of the same round`(pause: Double, count: Int) {
        let tests = rounds([[50, 50]], pause: pause)
        #expect(Report.rounds(tests).count == count)
        var other = tests
        other[1].uplink = "wlan0 198.18.0.254"
        #expect(Report.rounds(other).count == 2 && Report.rounds([]).isEmpty)
    }

    @Test(arguments: [("aa", 1), ("aaa", 2), ("aba", 1), ("abab", 1), ("ababa", 2), ("aaaaa", 3)])
    func `a round ends before a server comes a third time`(servers: String, count: Int) {
        let tests = servers.enumerated().map { index, server in
            var test = SpeedTestReport.good(at: Self.since + Double(index) * 20)
            test.server = "\(server)"
            return test
        }
        #expect(Report.rounds(tests).count == count && Report.rounds(tests).flatMap(\.self) == tests)
    }

    @Test func `a server that reached the plan at the second time is not counted as slow alone`() throws {
        var tests = rounds([[50, 100], [50, 50], [100], [100]])
        for index in tests.indices { tests[index].server = "home" }
        for index in [2, 3] { tests[index].download?.queue = nil }
        let plan = Plans.of(download: .init(normal: 100_000_000))
        let finding = try report(Report.Rows(tests: tests), days: 40, plan: plan).findings.last { $0.what == .plan }
        #expect(
            finding?.says
                == "Download over eth0: below the plan in 2 rounds of tests: 1 confirmed, place not known; 1 where a second test reached the plan."
        )
    }

    @Test func `each uplink has its name and is compared with its own plan, also two over one device`() throws {
        var modem = UplinkRule("modem")
        modem.match.gateway = IPAddress("192.0.2.1")
        modem.plan.download.normal = 20_000_000
        var plans = Plans.of(download: .init(normal: 100_000_000))
        plans.uplinks = [modem]
        func says(_ uplinks: [String]) throws -> [String] {
            let tests = (0..<10).map { index in
                var test = SpeedTestReport.good(at: Self.since + 3600 + Double(index) * 3600)
                (test.uplink, test.download, test.upload) = (uplinks[index % uplinks.count], .of(50), nil)
                return test
            }
            let findings = try report(Report.Rows(tests: tests), days: 40, plan: plans).findings
            return findings.filter { $0.what == .plan && $0.says.contains("reached") }.map(\.says)
        }
        let found = [
            "Download over eth0: 0 of 5 tests reached the plan's normal speed, 100 Mbit/s.",
            "Download over modem: 5 of 5 tests reached the plan's normal speed, 20 Mbit/s.",
        ]
        #expect(try says(["eth0 198.18.0.254", "wwan0 192.0.2.1"]) == found)
        #expect(try says(["eth0 198.18.0.254", "eth0 192.0.2.1"]) == found)
    }

    @Test func `rounds below the plan are counted by what the second test said and by their place`() throws {
        let tests = rounds([[50, 50], [50, 50], [50, 100], [50], [100], [100]])
        let plan = Plans.of(download: .init(normal: 100_000_000))
        let report = try report(Report.Rows(tests: tests), days: 40, plan: plan)
        #expect(report.shortfalls.map(\.location) == [.access, .access, .destination, .unknown])
        let finding = try #require(report.findings.last { $0.what == .plan })
        #expect(
            finding.says
                == "Download over eth0: below the plan in 4 rounds of tests: 2 confirmed, in the access; 1 of one server alone; 1 not confirmed by a second test."
        )
        let json = try JSONSerialization.jsonObject(with: Data(ReportFormat.json.print(report).bytes)) as? [String: Any]
        let parts = (json?["speedTests"] as? [String: Any])?["belowPlan"] as? [[String: Any]]
        #expect(parts?.map { $0["confirmation"] as? String } == ["confirmed", "confirmed", "refuted", "failed"])
        let csv = String(decoding: ReportFormat.csv.print(report).bytes, as: UTF8.self)
        #expect(
            csv.contains(
                "\r\nbelow plan,\"download, home over eth0, confirmed, access\",2024-10-04T08:00:00Z,50.0,Mbit/s,1\r\n"
            )
        )
        let few = try self.report(Report.Rows(tests: rounds([[50, 50]])), days: 40, plan: plan)
        #expect(!few.findings.contains { $0.what == .plan }, "nothing is concluded from two tests")
        #expect(
            ReportText.print(few).contains(
                "\n\nBelow the plan\n  2024-10-04 08:00  eth0, access: \(few.shortfalls[0].sentence)\n\n"
            )
        )
        let listed = ReportText.belowPlan(report, most: 1)
        #expect(
            listed.count == 2 && listed[0].contains(report.shortfalls[1].sentence)
                && listed[1] == "3 others: see JSON or CSV"
        )
    }

    @Test func `each test has its conditions, and each server a line of them`() throws {
        var (queued, failed) = (SpeedTestReport.queued, SpeedTestReport.failed())
        queued.startedAt = Date(timeIntervalSince1970: Self.since + 60)
        failed.startedAt = queued.startedAt
        let report = try report(Report.Rows(tests: [queued, failed]))
        #expect(
            report.conditions == [
                "home over eth0: 2 tests, 1 failed, 1 by ethernet at 1000 Mbit/s, 1 limited by link_speed, 1 without waiting packets, 1 with packets waiting at access, other traffic of this host at most 0.3 Mbit/s"
            ]
        )
        for format in [ReportFormat.html, .text] {
            #expect(
                String(decoding: format.print(report).bytes, as: UTF8.self).contains("1 by ethernet at 1000 Mbit/s")
            )
        }
        let json = String(decoding: ReportFormat.json.print(report).bytes, as: UTF8.self)
        #expect(json.contains(#""downloadConditions":{"otherTrafficMbps":0.3,"queueLocation":"access"}"#))
        #expect(json.contains(#""link":{"speedMbps":1000,"type":"ethernet"}"#) && json.contains(#""link":null"#))
    }
}
