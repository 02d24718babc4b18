import MicroHTTP
import Posix
import Testing

@testable import NetworkHealthExporter

@Suite struct ReportQueryTests {
    /// 2023-11-14T22:13:20Z.
    private static let now = 1_700_000_000.0

    private func query(_ text: String) throws -> ReportQuery {
        let items = text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Request.QueryItem(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return try ReportQuery(items, now: Self.now)
    }

    @Test func `the last 30 days as a page are the default`() throws {
        let query = try query("")
        #expect(query.format == .html && query.period.until == Self.now)
        #expect(query.period.since == ((Self.now - 30 * 86_400) / 3600).rounded(.down) * 3600)
        #expect(try self.query("since=2d&until=1d&format=csv").period.seconds == 25 * 3600, "from hour to hour")
    }

    @Test(arguments: [("2023-02", "2023-02-01T00:00:00Z", 28), ("2023-10", "2023-10-01T00:00:00Z", 31)])
    func `a month begins and ends at local midnight`(month: String, start: String, days: Double) throws {
        let period = try query("month=\(month)").period
        let first = try #require(RFC3339.parse(start))
        #expect(period.since == first - Double(WallClock.offset(at: Int(first))))
        let change = WallClock.offset(at: Int(period.since)) - WallClock.offset(at: Int(period.until))
        #expect(period.seconds == days * 86_400 + Double(change))
    }

    @Test func `the current month ends now, and a later one is none`() throws {
        #expect(try query("month=2023-11").period.until == Self.now)
        #expect(throws: HistoryQuery.Refusal(message: "the period is empty, or has not begun")) {
            try query("month=2023-12")
        }
    }

    @Test(arguments: [
        "2023", "2023-1", "2023-13", "2023-00", "23-01", "2023-01-01", "20x3-01", "+023-01", "", "1969-12", "９９９９-01",
    ])
    func `what is no month is refused`(text: String) {
        let message = "month: expected a month such as 2026-10, found \"\(text)\""
        #expect(throws: HistoryQuery.Refusal(message: message)) { try query("month=\(text)") }
    }

    @Test(arguments: [
        ("month=2023-01&since=1d", "month: without since and until"),
        ("since=1d&until=2d", "the period is empty, or has not begun"),
        ("format=pdf", "unknown format \"pdf\"; one of: html, text, json, csv"),
        ("kind=latency", "unknown parameter \"kind\"; one of: month, since, until, format"),
    ])
    func `what is wrong is said`(text: String, message: String) {
        #expect(throws: HistoryQuery.Refusal(message: message)) { try query(text) }
    }
}
