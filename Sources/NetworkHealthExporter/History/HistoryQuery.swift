import FoundationEssentials
import MicroHTTP
import Statistics
import StrictYAML

/// The query of a request for the history, read strictly.
struct HistoryQuery: Sendable, Equatable {
    /// The kinds of rows.
    enum Kind: String, Sendable, CaseIterable {
        case transitions, outages, gaps, speedtests, latency
    }

    /// The error in a request, and the valid values.
    struct Refusal: Error, Equatable {
        let message: String
    }

    private static let parameters = ["kind", "since", "format"]
    private static let time =
        "expected a time such as 2026-11-21T08:00:00Z, or back from now \(DurationText.expectation)"

    var kind: Kind
    /// Seconds since 1970.
    var since: Double
    var format: HistoryFormat

    init(_ items: [Request.QueryItem], now: Double) throws(Refusal) {
        if let unknown = items.first(where: { !Self.parameters.contains($0.name) }) {
            throw Self.refusal("unknown parameter \"\(unknown.name)\"", Self.parameters)
        }
        kind = try Self.choice("kind", of: items, or: nil)
        format = try Self.choice("format", of: items, or: .json)
        switch try Self.value("since", of: items, Self.time) {
        case nil: since = now - 86_400
        case let text?:
            if let back = DurationText.parse(text) {
                since = now - back.seconds
            } else if let time = RFC3339.parse(text) {
                since = time
            } else {
                throw Refusal(message: "since: \(Self.time), found \"\(text)\"")
            }
        }
    }

    private static func choice<Choice>(
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

    private static func value(
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
