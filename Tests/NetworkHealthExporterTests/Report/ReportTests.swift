import Foundation
import NetworkHealth
import Posix
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

@Suite struct ReportTests {
    private static let day = 86_400.0
    private static let since = 20_000 * day
    private static let clock = ReportClock { _ in 0 }

    private func report(_ rows: Report.Rows, days: Double = 1, plan: Plans = Plans()) throws -> Report {
        let until = Self.since + days * Self.day
        return Report(
            rows,
            of: try #require(ReportPeriod(since: Self.since, until: until, now: until + 1)),
            plans: plan,
            clock: Self.clock
        )
    }

    /// So many tests in the morning of successive days, and so many in the evening.
    private func tests(_ others: Int, _ evenings: Int, of speeds: (Double, Double) = (200, 100)) -> [SpeedTestReport] {
        func tests(_ count: Int, _ hour: Double, _ speed: Double) -> [SpeedTestReport] {
            (0..<count).map { index in
                var test = SpeedTestReport.good(at: Self.since + Double(index) * Self.day + hour * 3600)
                (test.download, test.upload) = (.of(speed + Double(index) / 10), nil)
                return test
            }
        }
        return tests(others, 8, speeds.0) + tests(evenings, 21, speeds.1)
    }

    @Test(
        arguments: [
            (0.0, 86_400.0, 1e9, 0.0, 86_400.0), (1, 3599, 1e9, 0, 3600), (3600, 7201, 1e9, 3600, 10_800),
            (0, 1e9, 5000.5, 0, 5000.5),
        ] as [(Double, Double, Double, Double, Double)]
    )
    func `a period has whole hours, and ends now at the latest`(
        since: Double,
        until: Double,
        now: Double,
        start: Double,
        end: Double
    ) throws {
        let period = try #require(ReportPeriod(since: since, until: until, now: now))
        #expect(period.since == start && period.until == end)
        #expect(period.hours.lowerBound == Int64(start / 3600) && Double(period.hours.upperBound) * 3600 < end)
    }

    @Test(
        arguments: [
            (9000.0, 4.0, 9e9), (1e10, 2e10, 1e9), (Double.nan, 1, 2), (-Double.infinity, 1, 2),
            (0, Double.infinity, Double.infinity),
        ] as [(Double, Double, Double)]
    )
    func `what is no period is none`(since: Double, until: Double, now: Double) {
        #expect(ReportPeriod(since: since, until: until, now: now) == nil)
    }

    @Test func `time that was not observed is in no share, and is said`() throws {
        let hour = Int64(Self.since / 3600)
        let report = try report(Report.Rows(uptime: [hour: Uptime(monitored: 3600, offline: [.link: 36])]))
        #expect(report.unobserved == 23 * 3600 && report.uptime.ratio == 0.99)
        let says = report.findings.map(\.says)
        #expect(
            says[0]
                == "Online for 99 % of the 1 h that were observed, offline for 36 s. 23 h of the period were not observed."
        )
        #expect(says[1] == "No outage was observed in 1 h.")
        #expect(try self.report(Report.Rows()).findings.first?.says == "Nothing was observed in this period.")
    }

    @Test func `an outage over an edge of the period is in it, the longest first, and the time offline is by the hour`()
        throws
    {
        func row(_ start: Double, _ length: Double) throws -> OutageRow {
            var transition = Transition(.online())
            (transition.at, transition.outageCause, transition.outageSeconds) = (start + length, "link", length)
            return try #require(OutageRow(transition))
        }
        let end = Self.since + Self.day
        let rows = try [
            row(Self.since - 100, 50), row(Self.since - 100, 160), row(Self.since + 10, 30), row(end - 10, 300),
            row(end, 5),
        ]
        let report = try report(Report.Rows(outages: rows))
        #expect(report.outages.map(\.seconds) == [300, 160, 30])
        #expect(report.outages.allSatisfy { $0.location == "unknown" && $0.cause == "link" })
    }

    @Test func `an outage of a reserve is apart from those of the host in every form, and in no conclusion`() throws {
        func row(_ uplink: String, _ start: Double, _ length: Double) -> UplinkOutageRow {
            let end = Self.since + start + length
            let outage = DatedOutage(.noInternet, .unknown, until: end, seconds: length)
            return UplinkOutageRow(uplink: uplink, outage: outage, seconds: length)
        }
        let hour = Int64(Self.since / 3600)
        let uptime = [hour: Uptime(monitored: 3600)]
        let rows = [row("lte", 100, 60), row("lte", 1000, 200), row("<b>", 500, 5), row("lte", -100, 50)]
        let report = try report(Report.Rows(uptime: uptime, uplinkOutages: rows))
        #expect(report.uplinkOutages.map(\.seconds) == [200, 60, 5] && report.outages.isEmpty)
        #expect(report.findings == (try self.report(Report.Rows(uptime: uptime))).findings)
        let text = ReportText.print(report)
        #expect(
            text.contains(
                "\nOutages of reserve uplinks (not of this host)\n  2024-10-04 00:01  2024-10-04 00:02  1 min: lte, no_internet at unknown\n"
            )
        )
        #expect(!text.contains("\nOutages\n"))
        let page = ReportPage.html(report)
        #expect(
            page.contains("<h2>Outages of reserve uplinks (not of this host)</h2>")
                && !page.contains("<h2>Outages</h2>")
        )
        #expect(
            page.contains(
                "<td>lte</td><td>2</td><td>4 min 20 s</td><td>3 min 20 s from 2024-10-04 00:16 (no_internet, unknown)</td>"
            )
        )
        #expect(page.contains("<td>&lt;b></td><td>1</td>"))
        let document = ReportDocument(report)
        #expect(document.uplinkOutages.map(\.uplink) == ["lte", "lte", "<b>"] && document.outages.isEmpty)
        let csv = String(decoding: ReportCSV.print(document), as: UTF8.self)
        #expect(csv.contains("\r\nreserve outage,\"lte, no_internet unknown\",2024-10-04T00:01:40.000Z,60.0,s,1\r\n"))
        #expect(!csv.contains("\noutage,") && csv.contains("uptime,offline,,0.0,s"))
    }

    @Test(arguments: [0, 1, 8]) func `the first page lists fewer outages beside those of reserves, and sums the rest`(
        _ reserves: Int
    ) throws {
        let outages = try (0..<25).map { index in
            var transition = Transition(.online())
            (transition.at, transition.outageCause) = (Self.since + Double(index + 1) * 1000, "link")
            transition.outageSeconds = 10
            return try #require(OutageRow(transition))
        }
        let others = (0..<reserves).map { index in
            let outage = DatedOutage(.noInternet, .unknown, until: Self.since + 500, seconds: 5)
            return UplinkOutageRow(uplink: "lte\(index)", outage: outage, seconds: 5)
        }
        let page = ReportPage.html(try report(Report.Rows(outages: outages, uplinkOutages: others)))
        let listed = [0: 20, 1: 17, 8: 10][reserves] ?? 0
        #expect(page.matches(of: /<td>link<\/td>/).count == listed)
        #expect(page.contains("and \(25 - listed) others"))
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

    @Test func `each form has the figures, and the page has no script, no address and no markup of a name`() throws {
        var tests = tests(12, 11)
        tests[0].server = "<b>&\"x"
        let hour = Int64(Self.since / 3600)
        let latency = (0..<2880).map { LatencyRow(at: Self.since + Double($0) * 60, p50: 0.0123, loss: 0.01) }
        let rows = Report.Rows(uptime: [hour: Uptime(monitored: 3600)], tests: tests, latency: latency)
        let report = try report(rows, days: 40)
        let html = String(decoding: ReportFormat.html.print(report).bytes, as: UTF8.self)
        #expect(html.contains("&lt;b>&amp;&quot;x") && !html.contains("<b>"))
        #expect(!html.contains("<script") && !html.contains("http") && !html.contains("src=") && !html.contains("url("))
        #expect(html.split(separator: "<svg").count == 6, "uptime, points, hours, and twice latency")
        let text = String(decoding: ReportFormat.text.print(report).bytes, as: UTF8.self)
        #expect(text.contains("* Latency: 12.3 ms in the median of 2880 minutes.") && text.contains("  08 h      12"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 200 })
        let csv = String(decoding: ReportFormat.csv.print(report).bytes, as: UTF8.self)
        #expect(csv.hasPrefix("section,name,at,value,unit,measurements\r\n"))
        #expect(csv.contains("\r\nlatency,\"latency, median\",,0.0123,s,2880\r\n"))
        let json = try JSONSerialization.jsonObject(with: Data(ReportFormat.json.print(report).bytes)) as? [String: Any]
        #expect(json?["version"] as? Int == 1)
    }

    @Test func `an empty period is a report`() throws {
        let report = try report(Report.Rows())
        for format in ReportFormat.allCases { #expect(!format.print(report).bytes.isEmpty) }
    }
}
