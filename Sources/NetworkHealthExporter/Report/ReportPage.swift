import NetworkHealth
import SpeedTestCore
import Statistics

/// A report as one HTML file without a script, for a screen and for two printed pages.
enum ReportPage {
    private static let style = """
        @page{size:A4;margin:12mm}
        *{box-sizing:border-box}
        body{font:10pt/1.35 system-ui,sans-serif;color:#111;background:#fff;max-width:190mm;margin:0 auto;padding:4mm}
        h1{font-size:15pt;margin:0 0 1mm}h2{font-size:11pt;margin:3mm 0 1mm}p{margin:0 0 1mm}ul{margin:0;padding-left:5mm}
        table{border-collapse:collapse;width:100%;font-size:8.5pt}th,td{text-align:left;padding:.4mm 2mm .4mm 0;border-bottom:1px solid #ddd}
        th{font-weight:600}td.n,th.n{text-align:right}
        svg{width:100%;height:auto;display:block}small,.note{color:#444;font-size:8.5pt}
        text{font:9px system-ui,sans-serif;fill:#333}.e{text-anchor:end}.c{text-anchor:middle;font-size:8px}.i,.w{fill:#fff}.u{display:none}
        .g{stroke:#ddd}.md{stroke:#111;stroke-dasharray:4 3}.pl{stroke:#0a7d2c;stroke-width:1.5}.n{fill:#fff;stroke:#bbb;stroke-width:.6}.ok{fill:#9cc8a6}.off{fill:#b3261e}
        .pt{fill:#2f6db5}.ev{fill:#a3480b}.h0{fill:#eef3fa}.h1{fill:#c6d8ee}.h2{fill:#92b5dd}.h3{fill:#5586bf}.h4{fill:#27538a}
        section{break-inside:auto}.second{break-before:page}figure{margin:0 0 1.5mm;break-inside:avoid}figcaption{font-size:9pt}
        @media print{body{padding:0;max-width:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
        """

    static func html(_ report: Report) -> String {
        let clock = report.clock
        let title = "Network report, \(clock.text(report.period.since)) to \(clock.text(report.period.until))"
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(escaped(title))</title><style>\(style)</style></head><body>
            <section><h1>\(escaped(title))</h1><p class="note">Local time, \(escaped(ReportText.zone(report))). Written by \(Version.name) \(escaped(Version.number)).</p>
            \(findings(report))\(uptime(report))\(outages(report))\(uplinkOutages(report))</section>
            <section class="second">\(speeds(report))\(latency(report))\(points(report))</section></body></html>

            """
    }

    private static func findings(_ report: Report) -> String {
        let findings = report.findings
        func list(_ title: String, _ findings: [ReportFinding]) -> String {
            guard !findings.isEmpty else { return "" }
            return "<h2>\(title)</h2><ul>\(findings.map { "<li>\(escaped($0.says))</li>" }.joined())</ul>"
        }
        return list("Conclusions", findings.filter(\.concluded))
            + list("Not concluded", findings.filter { !$0.concluded })
    }

    private static func uptime(_ report: Report) -> String {
        figure(
            "Uptime by day: green online, red from the top of a column offline, white not observed.",
            ReportPlot.days(report)
        )
    }

    private static func outages(_ report: Report) -> String {
        guard !report.outages.isEmpty else { return "" }
        // The first page has no room for the standbys beside all that the text lists; those without a row have a note.
        let standbys = min(Set(report.uplinkOutages.map(\.uplink)).count, listedStandbys + 1)
        let listed = ReportText.listed - (standbys == 0 ? 0 : standbys + 2)
        let rows = report.outages.prefix(listed).sorted { $0.start < $1.start }.map { outage in
            [
                report.clock.text(outage.start), outage.end.map(report.clock.text) ?? "ongoing",
                ReportText.length(outage.seconds), outage.cause, outage.location,
            ]
        }
        let rest =
            ReportText.rest(of: report.outages, after: listed).map { "<p class=\"note\">\(escaped($0))</p>" } ?? ""
        return "<h2>Outages</h2>" + table(["Start", "End", "Length", "Cause", "Place"], rows) + rest
    }

    /// Standbys that have room on the first page, those that were offline the longest; JSON and CSV have all.
    ///
    /// A host has no more at a time, but may have in a year: a phone on USB can have another device name each time.
    private static let listedStandbys = 8

    /// A row for each uplink: there is room for no more on the first page.
    private static func uplinkOutages(_ report: Report) -> String {
        guard !report.uplinkOutages.isEmpty else { return "" }
        let groups = Dictionary(grouping: report.uplinkOutages) { $0.uplink ?? "" }.map { uplink, outages in
            // The longest one is the first.
            (uplink: uplink, outages: outages, seconds: outages.reduce(0) { $0 + $1.seconds })
        }
        let listed = groups.sorted { ($1.seconds, $0.uplink) < ($0.seconds, $1.uplink) }.prefix(listedStandbys)
        let rows = listed.sorted { $0.uplink < $1.uplink }.map { uplink, outages, seconds in
            let longest = outages[0]
            return [
                uplink, "\(outages.count)", ReportText.length(seconds),
                "\(ReportText.length(longest.seconds)) from \(report.clock.text(longest.start)) (\(longest.cause), \(longest.location))",
            ]
        }
        let rest = groups.count - rows.count
        return "<h2>\(escaped(ReportText.uplinkTitle))</h2>" + table(["Uplink", "Outages", "In all", "Longest"], rows)
            + (rest > 0 ? "<p class=\"note\">\(rest) more in JSON and CSV.</p>" : "")
    }

    /// Tests below the plan that have room on the second page; JSON and CSV have all.
    private static let listedShortfalls = 2

    private static func speeds(_ report: Report) -> String {
        guard !report.tests.isEmpty else { return "<h2>Speed tests</h2><p>None in this period.</p>" }
        let rows = report.speeds.compactMap { speed in
            speed.series.all.map { all in
                [
                    speed.name, "\(all.count)", ReportText.rate(all.median), ReportText.rate(all.tenth),
                    ReportText.rate(all.lowest), ReportText.rate(all.highest), "\(speed.excluded)",
                ]
            }
        }
        let head = ["Speed tests", "Tests", "Median", "9 of 10 reach", "Lowest", "Highest", "Not counted"]
        // The uplink with the most tests is drawn; the others are in the table.
        let counts = Dictionary(grouping: report.tests, by: \.uplinkLabel).mapValues(\.count)
        let drawn = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let plots = report.speeds.filter { $0.uplink == drawn && $0.series.all != nil }.map { speed in
            let plan = speed.plan.named.map { ", the other line the plan's \(ReportText.rate($0.bitsPerSecond))" } ?? ""
            return figure(
                "\(speed.name), Mbit/s: each test; a square is one from 20 to 23 h, the dashed line the median\(plan).",
                ReportPlot.points(speed, of: report)
            )
                + figure(
                    "\(speed.name), Mbit/s: medians by hour of the day, with the number of tests.",
                    ReportPlot.hours(speed.series, speed.name, "Mbit/s", 1e6)
                )
        }
        let short = ReportText.belowPlan(report, most: listedShortfalls).map { "<li>\(escaped($0))</li>" }.joined()
        return "<h2>Speed tests</h2>" + table(head, rows)
            + (short.isEmpty ? "" : "<p>Below the plan:</p><ul class=\"note\">\(short)</ul>") + plots.joined()
            + "<p class=\"note\">Conditions of the tests: \(escaped(report.conditions.joined(separator: "; "))).</p>"
    }

    private static func latency(_ report: Report) -> String {
        guard report.latency.all != nil else { return "<h2>Latency</h2><p>Not measured in this period.</p>" }
        return "<h2>Latency</h2>"
            + figure(
                "Latency, ms: medians by hour of the day, with the number of minutes.",
                ReportPlot.hours(report.latency, "Latency", "ms", 1e-3)
            )
            + figure(
                "Latency, ms: medians by hour of the week; darker is higher.",
                ReportPlot.week(report.latency, "Latency", "ms", 1e-3)
            )
    }

    /// Points that have room on the second page; JSON has all.
    private static let listedPoints = 8

    private static func points(_ report: Report) -> String {
        guard !report.points.points.isEmpty else { return "" }
        let points = report.points.points
        let rows = points.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.prefix(listedPoints).map { point in
            [
                point.name, point.latency.map { ReportText.milliseconds($0.median) } ?? "not known",
                ReportText.share(point.loss), "\(point.probes)",
            ]
        }
        let rest = points.count - rows.count
        return table(["Point", "Median", "Without an answer", "Probes"], rows)
            + (rest > 0 ? "<p class=\"note\">\(rest) more in JSON.</p>" : "")
    }

    private static func figure(_ caption: String, _ svg: String) -> String {
        svg.isEmpty ? "" : "<figure><figcaption>\(escaped(caption))</figcaption>\(svg)</figure>"
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        let titles = head.map { "<th>\(escaped($0))</th>" }.joined()
        let body = rows.map { "<tr>\($0.map { "<td>\(escaped($0))</td>" }.joined())</tr>" }.joined()
        return "<table><thead><tr>\(titles)</tr></thead><tbody>\(body)</tbody></table>"
    }

    private static func escaped(_ text: String) -> String { PageLinks.escaped(text) }
}
