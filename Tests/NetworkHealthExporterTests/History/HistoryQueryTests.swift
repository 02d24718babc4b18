import MicroHTTP
import Testing

@testable import NetworkHealthExporter

struct HistoryQueryTests {
    private static let now = 1_700_000_000.0

    private func query(_ text: String) throws -> HistoryQuery {
        let items = text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Request.QueryItem(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return try HistoryQuery(items, now: Self.now)
    }

    @Test func `a day in JSON is the default`() throws {
        let query = try query("kind=transitions")
        #expect(query.kind == .transitions && query.format == .json && query.since == Self.now - 86_400)
    }

    @Test(
        arguments: [
            ("90d", now - 7_776_000), ("1h30m", now - 5400), ("0", now), ("36500d", now - 3_153_600_000),
            ("2023-11-14T22:13:20Z", now), ("2999-01-01T00:00:00.5Z", 32_472_144_000.5),
        ] as [(String, Double)]
    )
    func `since is a time, or back from now`(text: String, since: Double) throws {
        #expect(try query("kind=latency&format=csv&since=\(text)").since == since)
    }

    @Test(arguments: [
        ("", "expected a kind; one of: transitions, outages, uplink_outages, gaps, speedtests, latency, points"),
        ("kind=", "unknown kind \"\"; one of: transitions, outages, uplink_outages, gaps, speedtests, latency, points"),
        (
            "kind=Latency",
            "unknown kind \"Latency\"; one of: transitions, outages, uplink_outages, gaps, speedtests, latency, points"
        ),
        (
            "kind=latency&kind=latency",
            "kind given 2 times; one of: transitions, outages, uplink_outages, gaps, speedtests, latency, points"
        ),
        ("kind=latency&format=xml", "unknown format \"xml\"; one of: json, csv, openmetrics"),
        ("kind=latency&format=csv&format=json", "format given 2 times; one of: json, csv, openmetrics"),
        ("kind=latency&sice=1d", "unknown parameter \"sice\"; one of: kind, since, format"),
    ])
    func `what is wrong is said with what would be right`(text: String, message: String) throws {
        #expect(throws: HistoryQuery.Refusal(message: message)) { try query(text) }
    }

    @Test(arguments: [
        "", "1", "-1d", "1d ", "tomorrow", "1700000000", "99999999999999999999d", "9223372036854775807w", "36501d",
        "1e9s",
        "2023-11-14", "2023-02-30T00:00:00Z", "99999-01-01T00:00:00Z", "nan", "inf",
    ])
    func `a since that is neither is refused, however large`(text: String) throws {
        let error = try #require(throws: HistoryQuery.Refusal.self) { try query("kind=latency&since=\(text)") }
        let expectation =
            "since: expected a time such as 2026-11-21T08:00:00Z, or back from now a duration such as 50ms, 1s, 5m, 1h30m or 90d"
        #expect(error.message == "\(expectation), found \"\(text)\"")
        let twice = try #require(throws: HistoryQuery.Refusal.self) { try query("kind=latency&since=1d&since=1d") }
        #expect(twice.message.hasPrefix("since given 2 times; expected a time such as"))
    }
}
