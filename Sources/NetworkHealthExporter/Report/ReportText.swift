import FoundationEssentials
import NetworkHealth
import Statistics

/// A report as plain text, for a terminal and a mail.
enum ReportText {
    static func print(_ report: Report) -> String {
        let clock = report.clock
        var lines = [
            "Network report: \(clock.text(report.period.since)) to \(clock.text(report.period.until)) (\(zone(report)))"
        ]
        let findings = report.findings
        let concluded = findings.filter(\.concluded)
        if !concluded.isEmpty { lines += ["", "Conclusions"] + concluded.map { "  * \($0.says)" } }
        let missing = findings.filter { !$0.concluded }
        if !missing.isEmpty { lines += ["", "Not concluded"] + missing.map { "  * \($0.says)" } }
        if !report.outages.isEmpty { lines += ["", "Outages"] + outages(report.outages, report.clock) }
        if !report.uplinkOutages.isEmpty {
            lines += ["", uplinkTitle] + outages(report.uplinkOutages, report.clock)
        }
        if !report.shortfalls.isEmpty {
            lines += ["", "Below the plan"] + belowPlan(report, most: listed).map { "  \($0)" }
        }
        for speed in report.speeds {
            guard let all = speed.series.all else { continue }
            let excluded =
                speed.excluded == 0 ? "" : "; \(speed.excluded) not counted: this host or other traffic limited them"
            lines += [
                "", "\(speed.name): \(counted(all.count, "test"))\(excluded)",
                "  hour   tests  median  lowest  highest (Mbit/s)",
            ]
            lines += hours(speed.series) { "\(fixed($0 / 1e6, 1))" }
        }
        if !report.tests.isEmpty { lines += ["", "Conditions of the tests"] + report.conditions.map { "  \($0)" } }
        if report.latency.all != nil {
            lines += ["", "Latency", "  hour minutes  median  lowest  highest (ms)"]
            lines += hours(report.latency) { fixed($0 * 1000, 1) }
        }
        if !report.points.points.isEmpty {
            lines += ["", "Latency and loss by point", "  median (ms)  without an answer  probes"]
            lines += report.points.points.map { point in
                let cells = [
                    padded(point.latency.map { fixed($0.median * 1000, 1) } ?? "-", 11), padded(share(point.loss), 17),
                    padded("\(point.probes)", 7),
                ]
                return "  \(cells.joined(separator: " "))  \(point.name)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Outages that are listed; the others are summed.
    static let listed = 20

    /// They are apart from those of the host, and say so.
    static let uplinkTitle = "Outages of standbys (not of this host)"

    private static func outages(_ outages: [Report.Outage], _ clock: ReportClock) -> [String] {
        var lines = outages.prefix(listed).sorted { $0.start < $1.start }.map { outage in
            let end = outage.end.map(clock.text) ?? "ongoing"
            let uplink = outage.uplink.map { "\($0), " } ?? ""
            return
                "  \(clock.text(outage.start))  \(end)  \(length(outage.seconds)): \(uplink)\(outage.cause) at \(outage.location)"
        }
        if let rest = rest(of: outages) { lines.append("  \(rest)") }
        return lines
    }

    /// The outages that are not listed; nil: all are.
    static func rest(of outages: [Report.Outage], after listed: Int = listed) -> String? {
        let rest = outages.dropFirst(listed)
        guard let longest = rest.first else { return nil }
        let sum = rest.reduce(0) { $0 + $1.seconds }
        return "and \(rest.count) others, \(length(sum)) in all, none longer than \(length(longest.seconds))"
    }

    /// What was measured below the plan, with the place and whom to call: the last ones, those first that a second test confirmed.
    static func belowPlan(_ report: Report, most: Int) -> [String] {
        let order = report.shortfalls.sorted { first, second in
            let (a, b) = (first.confirmation == .confirmed, second.confirmation == .confirmed)
            return a == b ? first.first.at > second.first.at : a
        }
        let rows = order.prefix(most).sorted { $0.first.at < $1.first.at }.map { shortfall in
            let at = report.clock.text(shortfall.first.at.timeIntervalSince1970)
            return "\(at)  \(shortfall.uplink), \(shortfall.location.rawValue): \(shortfall.sentence)"
        }
        let rest = order.count - rows.count
        return rows + (rest > 0 ? ["\(counted(rest, "other")): see JSON or CSV"] : [])
    }

    private static func hours(_ series: ReportSeries, _ text: (Double) -> String) -> [String] {
        series.hours.sorted { $0.key < $1.key }.map { hour, sample in
            let cells = ["\(sample.count)", text(sample.median), text(sample.lowest), text(sample.highest)]
            return "  \(ReportClock.padded(hour)) h " + cells.map { padded($0, 7) }.joined(separator: " ")
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// The time zone, at its start and, where that differs, at its end.
    static func zone(_ report: Report) -> String {
        let (first, last) = (report.clock.zone(report.period.since), report.clock.zone(report.period.until))
        return first == last ? first : "\(first), at the end \(last)"
    }

    /// For example `76 h`, `5 h 12 min`, `3 min 20 s` or `4.5 s`.
    static func length(_ seconds: Double) -> String {
        guard seconds >= 60 else { return "\(fixed(max(0, seconds), 1)) s" }
        let whole = Int(min(seconds, 1e12).rounded())
        func pair(_ first: Int, _ unit: String, _ second: Int, _ smaller: String) -> String {
            second == 0 ? "\(first) \(unit)" : "\(first) \(unit) \(second) \(smaller)"
        }
        if whole < 3600 { return pair(whole / 60, "min", whole % 60, "s") }
        return pair(whole / 3600, "h", whole % 3600 / 60, "min")
    }

    /// For example `1 test` and `2 tests`.
    static func counted(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }

    /// For example `99.531 %`.
    static func share(_ ratio: Double) -> String {
        // 100 % only where nothing is missing.
        let percent = ratio < 1 && ratio > 0 ? min(max(ratio * 100, 0.001), 99.999) : ratio * 100
        return "\(fixed(percent, 3)) %"
    }

    static func rate(_ bitsPerSecond: Double) -> String { "\(fixed(bitsPerSecond / 1e6, 1)) Mbit/s" }

    static func milliseconds(_ seconds: Double) -> String { "\(fixed(seconds * 1000, 1)) ms" }

    /// With so many decimals at most; FoundationEssentials has no format strings.
    static func fixed(_ value: Double, _ places: Int) -> String {
        let text = "\(value.rounded(toPlaces: places))"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
