import Foundation
import NetworkHealth
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

@Suite struct ReportTests {
    static let day = 86_400.0
    static let since = 20_000 * day
    private static let clock = ReportClock { _ in 0 }

    func report(_ rows: Report.Rows, days: Double = 1, plan: Plans = Plans()) throws -> Report {
        let until = Self.since + days * Self.day
        return Report(
            rows,
            of: try #require(ReportPeriod(since: Self.since, until: until, now: until + 1)),
            plans: plan,
            clock: Self.clock
        )
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
        let empty = try self.report(Report.Rows())
        #expect(empty.findings.first?.says == "Nothing was observed in this period.")
        #expect(!ReportText.print(empty).contains("\nConclusions\n"))
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

    @Test func `an outage of a standby is apart from those of the host in every form, and in no conclusion`() throws {
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
                "\nOutages of standbys (not of this host)\n  2024-10-04 00:01  2024-10-04 00:02  1 min: lte, no_internet at unknown\n"
            )
        )
        #expect(!text.contains("\nOutages\n"))
        let page = ReportPage.html(report)
        #expect(
            page.contains("<h2>Outages of standbys (not of this host)</h2>")
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
        #expect(csv.contains("\r\nstandby outage,\"lte, no_internet unknown\",2024-10-04T00:01:40.000Z,60.0,s,1\r\n"))
        #expect(!csv.contains("\noutage,") && csv.contains("uptime,offline,,0.0,s"))
    }

    @Test(arguments: [0, 1, 8, 30])
    func `the first page lists fewer outages beside those of standbys, and sums the rest`(_ standbys: Int) throws {
        let outages = try (0..<25).map { index in
            var transition = Transition(.online())
            (transition.at, transition.outageCause) = (Self.since + Double(index + 1) * 1000, "link")
            transition.outageSeconds = 10
            return try #require(OutageRow(transition))
        }
        let others = (0..<standbys).map { index in
            let outage = DatedOutage(.noInternet, .unknown, until: Self.since + 500, seconds: 5)
            return UplinkOutageRow(uplink: "lte\(index)", outage: outage, seconds: 5)
        }
        let page = ReportPage.html(try report(Report.Rows(outages: outages, uplinkOutages: others)))
        let listed = [0: 20, 1: 17, 8: 10, 30: 9][standbys] ?? 0
        #expect(page.matches(of: /<td>link<\/td>/).count == listed)
        #expect(page.contains("and \(25 - listed) others"))
        #expect(page.matches(of: /<td>lte\d+<\/td>/).count == min(standbys, 8))
        #expect(page.contains("22 more in JSON and CSV") == (standbys == 30))
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

    @Test func `a day that has begun half a second ago is a report`() throws {
        let period = try #require(ReportPeriod(since: Self.since, until: Self.since + 3600, now: Self.since + 0.5))
        let report = Report(Report.Rows(tests: [.good(at: Self.since)]), of: period, clock: Self.clock)
        for format in ReportFormat.allCases { #expect(!format.print(report).bytes.isEmpty) }
        #expect(ReportPlot.days(report).contains("2024-10-04: offline"))
    }

    @Test func `an hour in which the clocks were set back over midnight is a report of both days`() throws {
        // Labrador, 2010-11-07: a minute after midnight it was 23:01 again.
        let (since, change) = (1_289_098_800.0, 1_289_098_860)
        let clock = ReportClock { $0 < change ? -10_800 : -14_400 }
        let period = try #require(ReportPeriod(since: since, until: since + 3600, now: 2e9))
        let report = Report(Report.Rows(tests: [.good(at: since)]), of: period, clock: clock)
        for format in ReportFormat.allCases { #expect(!format.print(report).bytes.isEmpty) }
        let days = ReportPlot.days(report)
        #expect(days.contains("2010-11-06: offline") && days.contains("2010-11-07: offline"))
    }

    @Test func `an empty period is a report`() throws {
        let report = try report(Report.Rows())
        for format in ReportFormat.allCases { #expect(!format.print(report).bytes.isEmpty) }
    }
}
