import NetworkHealth
import Statistics

/// The drawings of a report, as inline SVG: what a colour says, a shape, a height or a word says too.
struct ReportPlot {
    private static let width = 720.0
    /// Of the axis on the left, and of the labels below.
    private static let (left, bottom, top) = (46.0, 16.0, 6.0)

    private let height: Double
    private let label: String
    private var parts: [String] = []

    private init(_ height: Double, _ label: String) { (self.height, self.label) = (height, label) }

    private var svg: String {
        let size = "viewBox=\"0 0 \(Int(Self.width)) \(Int(height))\""
        return "<svg \(size) role=\"img\" aria-label=\"\(PageLinks.escaped(label))\">\(parts.joined())</svg>"
    }

    private static func number(_ value: Double) -> String { ReportText.fixed(value, 1) }

    private mutating func rectangle(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        _ style: String,
        _ title: String = ""
    ) {
        guard width > 0, height > 0 else { return }
        let text = title.isEmpty ? "" : "<title>\(PageLinks.escaped(title))</title>"
        let place = "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\""
        let size = "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
        parts.append("<rect \(place) \(size) class=\"\(style)\">\(text)</rect>")
    }

    private mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String) {
        parts.append(
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" class=\"\(style)\">\(PageLinks.escaped(text))</text>"
        )
    }

    private mutating func line(_ x: Double, _ y: Double, _ x2: Double, _ y2: Double, _ style: String) {
        let ends = [("x1", x), ("y1", y), ("x2", x2), ("y2", y2)].map { "\($0)=\"\(Self.number($1))\"" }
        parts.append("<line \(ends.joined(separator: " ")) class=\"\(style)\"/>")
    }

    /// The axis on the left, from 0, and how high one unit is.
    private mutating func axis(to highest: Double, _ unit: String) -> Double {
        let room = height - Self.bottom - Self.top
        guard highest > 0, highest.isFinite else { return 0 }
        var step = 1e-6
        // 1, 2, 5, 10 …
        while highest / step > 5 {
            for factor in [2, 2.5, 2] where highest / step > 5 { step *= factor }
        }
        let scale = room / highest
        var value = 0.0
        while value <= highest {
            let y = height - Self.bottom - value * scale
            line(Self.left, y, Self.width, y, "g")
            text(Self.left - 4, y + 3, value == 0 ? "0" : ReportText.fixed(value, 3), "e")
            value += step
        }
        text(Self.left - 4, Self.top + 3, unit, "e u")
        return scale
    }

    /// A column for each day: online, offline from the top, and what was not observed left open.
    static func days(_ report: Report) -> String {
        var plot = ReportPlot(90, "Uptime by day")
        // Clocks that were set back over midnight end on the day before the one on which they began.
        let ends = [report.clock.day(report.period.since), report.clock.day(report.period.last)].sorted()
        let last = ends[1]
        // Of a period of years the days before the first observation are left out.
        let first = last - ends[0] > 400 ? max(ends[0], min(last, report.days.keys.min() ?? last - 400)) : ends[0]
        let column = (width - left) / Double(last - first + 1)
        let scale = (plot.height - bottom - top) / 86_400
        plot.text(left - 4, top + 6, "24 h", "e")
        plot.text(left - 4, plot.height - bottom, "0 h", "e")
        for day in first...last {
            let x = left + Double(day - first) * column
            let uptime = report.days[day] ?? .init()
            let (all, off) = (min(uptime.monitored, 90_000) * scale, min(uptime.offlineTotal, 90_000) * scale)
            let base = plot.height - bottom
            let title =
                "\(ReportClock.date(day)): offline \(ReportText.length(uptime.offlineTotal)) of \(ReportText.length(uptime.monitored)) observed"
            plot.rectangle(x, base - 86_400 * scale, max(1, column - 1.5), 86_400 * scale, "n", title)
            plot.rectangle(x, base - all, max(1, column - 1.5), all, "ok", title)
            // At least a line that can be seen.
            if off > 0 { plot.rectangle(x, base - all, max(1, column - 1.5), max(2, off), "off", title) }
            if (day - first).isMultiple(of: max(1, (last - first + 1) / 10)) {
                plot.text(x, plot.height - 4, String(ReportClock.date(day).dropFirst(5)), "s")
            }
        }
        return plot.svg
    }

    /// A dot for each test, at its time, in Mbit/s.
    static func points(_ speed: Report.Speed, of report: Report) -> String {
        guard let all = speed.series.all else { return "" }
        let (unit, scale) = ("Mbit/s", 1e6)
        let promised = speed.plan.named?.bitsPerSecond
        var plot = ReportPlot(68, "\(speed.name): each test, \(unit)")
        let height = plot.axis(to: max(all.highest, promised ?? 0) / scale * 1.05, unit)
        let base = plot.height - bottom
        if let promised {
            let y = base - promised / scale * height
            plot.line(left, y, width, y, "pl")
        }
        func x(_ time: Double) -> Double {
            left + (time - report.period.since) / report.period.seconds * (width - left - 4)
        }
        for point in speed.series.points {
            let title = "\(report.clock.text(point.at)): \(ReportText.fixed(point.value / scale, 1)) \(unit)"
            let y = base - point.value / scale * height
            let isEvening = ReportClock.evening.contains(report.clock.hour(point.at))
            let title2 = "<title>\(PageLinks.escaped(title))</title>"
            // An evening is a square.
            plot.parts.append(
                isEvening
                    ? "<rect x=\"\(number(x(point.at) - 2.5))\" y=\"\(number(y - 2.5))\" width=\"5\" height=\"5\" class=\"ev\">\(title2)</rect>"
                    : "<circle cx=\"\(number(x(point.at)))\" cy=\"\(number(y))\" r=\"2.5\" class=\"pt\">\(title2)</circle>"
            )
        }
        plot.line(left, base - all.median / scale * height, width, base - all.median / scale * height, "md")
        let days = report.clock.day(report.period.last) - report.clock.day(report.period.since) + 1
        for part in 0..<6 {
            let time = report.period.since + report.period.seconds * Double(part) / 6
            let date = ReportClock.date(report.clock.day(time)).dropFirst(5)
            plot.text(
                x(time),
                plot.height - 4,
                days > 2 ? String(date) : String(report.clock.text(time).suffix(5)),
                "s"
            )
        }
        return plot.svg
    }

    /// A bar for each hour of the day: the median, and the number of measurements below it.
    static func hours(_ series: ReportSeries, _ name: String, _ unit: String, _ scale: Double) -> String {
        var plot = ReportPlot(58, "\(name): medians by hour of the day, \(unit)")
        let highest = series.hours.values.map(\.median).max() ?? 0
        let height = plot.axis(to: highest / scale * 1.05, unit)
        let column = (width - left) / 24
        let base = plot.height - bottom
        for hour in 0..<24 {
            let x = left + Double(hour) * column
            let isEvening = ReportClock.evening.contains(hour)
            plot.text(x + column / 2, plot.height - 4, "\(hour) h", "c")
            guard let sample = series.hours[hour] else { continue }
            let bar = sample.median / scale * height
            let title =
                "\(hour) h: \(ReportText.fixed(sample.median / scale, 1)) \(unit), the median of \(sample.count)"
            plot.rectangle(x + 2, base - bar, column - 4, bar, isEvening ? "ev" : "pt", title)
            plot.text(x + column / 2, base - 3, "\(sample.count)", "c i")
        }
        return plot.svg
    }

    /// A field for each hour of the week, darker where the median is higher.
    static func week(_ series: ReportSeries, _ name: String, _ unit: String, _ scale: Double) -> String {
        var plot = ReportPlot(104, "\(name): medians by hour of the week, \(unit)")
        let medians = series.week.values.map(\.median)
        guard let lowest = medians.min(), let highest = medians.max() else { return "" }
        let (column, row) = ((width - left) / 24, (plot.height - bottom - top) / 7)
        for day in 0..<7 {
            plot.text(left - 4, top + row * (Double(day) + 0.75), ReportClock.weekdays[day], "e")
            for hour in 0..<24 {
                let (x, y) = (left + Double(hour) * column, top + row * Double(day))
                guard let sample = series.week[day * 24 + hour] else {
                    plot.rectangle(x + 0.5, y + 0.5, column - 1, row - 1, "n")
                    continue
                }
                let share = highest > lowest ? (sample.median - lowest) / (highest - lowest) : 0
                let value = ReportText.fixed(sample.median / scale, 1)
                let title = "\(ReportClock.weekdays[day]) \(hour) h: \(value) \(unit), the median of \(sample.count)"
                plot.rectangle(x + 0.5, y + 0.5, column - 1, row - 1, "h h\(Int((share * 4).rounded()))", title)
                let short = ReportText.fixed(sample.median / scale, sample.median / scale < 100 ? 1 : 0)
                plot.text(x + column / 2, y + row * 0.75, short, (share * 4).rounded() >= 3 ? "c w" : "c")
            }
        }
        for hour in 0..<24 { plot.text(left + (Double(hour) + 0.5) * column, plot.height - 4, "\(hour) h", "c") }
        return plot.svg
    }
}
