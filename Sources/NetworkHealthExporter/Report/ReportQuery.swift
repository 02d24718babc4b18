import FoundationEssentials
import MicroHTTP
import SpeedTestCore
import StrictYAML

/// The formats of a report.
enum ReportFormat: String, Sendable, CaseIterable {
    case html, text, json, csv

    func print(_ report: Report) -> (bytes: [UInt8], contentType: String) {
        switch self {
        case .html: (Array(ReportPage.html(report).utf8), "text/html; charset=utf-8")
        case .text: (Array(ReportText.print(report).utf8), "text/plain; charset=utf-8")
        case .json: (ReportDocument(report).json, "application/json")
        case .csv: (ReportCSV.print(ReportDocument(report)), "text/csv; charset=utf-8")
        }
    }
}

/// The query of a request for a report, read strictly.
struct ReportQuery: Sendable, Equatable {
    static let parameters = ["month", "since", "until", "format"]
    private static let month = "a month such as 2026-10"

    var period: ReportPeriod
    var format: ReportFormat

    /// - Parameters:
    ///   - items: at most one of each parameter; `month` excludes the other times.
    ///   - now: in seconds since 1970.
    /// - Throws: what is wrong with a parameter, and a period that is empty.
    init(_ items: [Request.QueryItem], now: Double) throws(HistoryQuery.Refusal) {
        try HistoryQuery.check(items, Self.parameters)
        format = try HistoryQuery.choice("format", of: items, or: .html)
        let (since, until): (Double, Double)
        if let text = try HistoryQuery.value("month", of: items, Self.month) {
            guard !items.contains(where: { ["since", "until"].contains($0.name) }) else {
                throw HistoryQuery.Refusal(message: "month: without since and until")
            }
            guard let month = Self.days(of: text) else {
                throw HistoryQuery.Refusal(message: "month: expected \(Self.month), found \"\(text)\"")
            }
            since = Double(LocalDay(month.lowerBound).beginning(of: 0))
            until = Double(LocalDay(month.upperBound).beginning(of: 0))
        } else {
            until = try HistoryQuery.time("until", of: items, now: now) ?? now
            since = try HistoryQuery.time("since", of: items, now: now) ?? until - 30 * 86_400
        }
        guard let period = ReportPeriod(since: since, until: until, now: now) else {
            throw HistoryQuery.Refusal(message: "the period is empty, or has not begun")
        }
        self.period = period
    }

    /// The first day of a month and that of the next one, in days since 1970-01-01; nil for other text.
    private static func days(of month: String) -> Range<Int>? {
        let parts = month.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let year = Int(parts[0]), let number = Int(parts[1]), year >= 1970, (1...12).contains(number)
        else { return nil }
        let first = CalendarDate(year: year, month: number, day: 1).number
        return first..<CalendarDate(year: number == 12 ? year + 1 : year, month: number % 12 + 1, day: 1).number
    }
}
