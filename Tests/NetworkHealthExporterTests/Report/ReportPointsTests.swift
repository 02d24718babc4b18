import Foundation
import Testing

@testable import NetworkHealthExporter

/// What a report says of the points on the way.
@Suite struct ReportPointsTests {
    private static let since = 20_000 * 86_400.0

    private func report(_ rows: [PointRow], days: Double = 1) throws -> Report {
        let until = Self.since + days * 86_400
        let period = try #require(ReportPeriod(since: Self.since, until: until, now: until + 1))
        return Report(Report.Rows(points: rows), of: period, clock: ReportClock { _ in 0 })
    }

    @Test func `each point has its latency and loss, and the way to the second router a sentence`() throws {
        let rows = (0..<8 * 48).flatMap { index in
            let wave = 0.002 * cos((Double(index) / 2 - 21) / 24 * 2 * .pi)
            return [("hop 1 ipv4", 0.001), ("hop 2 ipv4", 0.009 + wave), ("nas", 0.0004)].map { name, median in
                PointRow(
                    at: Self.since + Double(index) * 1800,
                    point: name,
                    median: median,
                    lost: index % 4,
                    probes: 6,
                    seconds: 1800
                )
            }
        }
        let report = try self.report(rows, days: 8)
        #expect(report.points.points.map(\.name) == ["hop 1 ipv4", "hop 2 ipv4", "nas"])
        #expect(report.points.points[2].loss == 0.25 && report.points.points[2].latency?.median == 0.0004)
        let finding = try #require(report.findings.last)
        #expect(
            finding.says
                == "From the first to the second router (ipv4): the delay follows the day by 4 ms (severe), highest at about 21 h: 384 half hours."
        )
        for format in ReportFormat.allCases {
            #expect(String(decoding: format.print(report).bytes, as: UTF8.self).contains("hop 2 ipv4"))
        }
        let short = try self.report(rows, days: 7)
        #expect(short.findings.last?.concluded == false && short.findings.last?.what == .evening)
        let flat = rows.map { PointRow(at: $0.at, point: $0.point, median: 0.001, lost: 0, probes: 6, seconds: 1800) }
        #expect(
            try self.report(flat, days: 8).findings.last?.says.contains("does not follow the day") == true
        )
    }

    @Test func `a step in the delay is no rhythm of the day, and none is denied`() throws {
        let rows = (0..<8 * 48).flatMap { index in
            let wave = 0.001 * cos((Double(index) / 2 - 21) / 24 * 2 * .pi) + (index % 192 < 96 ? 0 : 0.02)
            return [("hop 1 ipv4", 0.001), ("hop 2 ipv4", 0.009 + wave)].map { name, median in
                PointRow(
                    at: Self.since + Double(index) * 1800,
                    point: name,
                    median: median,
                    lost: 0,
                    probes: 6,
                    seconds: 1800
                )
            }
        }
        let report = try self.report(rows, days: 8)
        let says = try #require(report.findings.last?.says)
        #expect(says.contains("no daily rhythm stands out") && !says.contains("0.5 ms"), "\(says)")
        let json = String(decoding: ReportFormat.json.print(report).bytes, as: UTF8.self)
        #expect(json.contains(#""severity":null"#) && !json.contains(#""amplitudeSeconds":null"#))
    }

    @Test func `the page has the router and the targets first, and how many points are left out`() throws {
        let names = (3...11).map { "hop \($0) ipv4" } + ["nas", "router"]
        func page(_ names: [String]) throws -> String {
            let rows = names.map {
                PointRow(at: Self.since, point: $0, median: 0.001, lost: 0, probes: 6, seconds: 1800)
            }
            return String(decoding: ReportFormat.html.print(try report(rows)).bytes, as: UTF8.self)
        }
        let html = try page(names)
        let shown = html.matches(of: /<tr><td>(router|nas|hop [0-9]+ ipv4)</).map { String($0.1) }
        #expect(shown == ["router", "nas"] + (3...8).map { "hop \($0) ipv4" } && html.contains("3 more in JSON."))
        #expect(try !page(Array(names.prefix(8))).contains("more in JSON"))
    }
}
