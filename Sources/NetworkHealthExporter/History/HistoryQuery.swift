import FoundationEssentials
import MicroHTTP
import Statistics
import StrictYAML

/// The query of a request for the history, read strictly.
struct HistoryQuery: Sendable, Equatable {
    /// The kinds of rows.
    enum Kind: String, Sendable, CaseIterable {
        case transitions, outages
        case uplinkOutages = "uplink_outages"
        case gaps, speedtests, latency, points
    }

    /// The error in a request, and the valid values.
    struct Refusal: Error, Equatable {
        let message: String
    }

    private static let parameters = ["kind", "since", "format"]
    private static let timeExpectation =
        "expected a time such as 2026-11-21T08:00:00Z, or back from now \(DurationText.expectation)"

    var kind: Kind
    /// Seconds since 1970.
    var since: Double
    var format: HistoryFormat

    init(_ items: [Request.QueryItem], now: Double) throws(Refusal) {
        try Self.check(items, Self.parameters)
        kind = try Self.choice("kind", of: items, or: nil)
        format = try Self.choice("format", of: items, or: .json)
        since = try Self.time("since", of: items, now: now) ?? now - 86_400
    }

    /// Refuses parameters that are not among these.
    static func check(_ items: [Request.QueryItem], _ parameters: [String]) throws(Refusal) {
        if let unknown = items.first(where: { !parameters.contains($0.name) }) {
            throw refusal("unknown parameter \"\(unknown.name)\"", parameters)
        }
    }

    /// A time, or a duration back from now, in seconds since 1970; nil where it is not given.
    static func time(_ name: String, of items: [Request.QueryItem], now: Double) throws(Refusal) -> Double? {
        guard let text = try value(name, of: items, timeExpectation) else { return nil }
        if let back = DurationText.parse(text) { return now - back.seconds }
        if let time = RFC3339.parse(text) { return time }
        throw Refusal(message: "\(name): \(timeExpectation), found \"\(text)\"")
    }

    static func choice<Choice>(
        _ name: String,
        of items: [Request.QueryItem],
        or standard: Choice?
    ) throws(Refusal) -> Choice where Choice: CaseIterable & RawRepresentable, Choice.RawValue == String {
        let all = Choice.allCases.map(\.rawValue)
        let text = try value(name, of: items, "one of: \(all.joined(separator: ", "))")
        guard let choice = text.map({ Choice(rawValue: $0) }) ?? standard else {
            throw refusal(text.map { "unknown \(name) \"\($0)\"" } ?? "expected a \(name)", all)
        }
        return choice
    }

    static func value(
        _ name: String,
        of items: [Request.QueryItem],
        _ expectation: String
    ) throws(Refusal) -> String? {
        let values = items.filter { $0.name == name }.map(\.value)
        guard values.count <= 1 else {
            throw Refusal(message: "\(name) given \(values.count) times; \(expectation)")
        }
        return values.first
    }

    private static func refusal(_ reason: String, _ valid: [String]) -> Refusal {
        Refusal(message: "\(reason); one of: \(valid.joined(separator: ", "))")
    }
}
