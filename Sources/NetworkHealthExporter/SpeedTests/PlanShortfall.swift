import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// A direction that was below the plan in one round of tests, and what a second test said about that: the event `below_plan`, and a row
/// of a report.
struct PlanShortfall: Sendable, Equatable {
    /// The speed that one test found.
    struct Test: Sendable, Equatable {
        var at: Date
        var server: String
        var rate: BitRate

        init(_ report: SpeedTestReport, _ direction: Direction) {
            (at, server) = (report.startedAt, report.server)
            rate = report[direction]?.rate ?? BitRate(bitsPerSecond: 0)
        }
    }

    /// The label of the metrics.
    var uplink: String
    var direction: Direction
    var confirmation: PlanRule.Confirmation
    var location: FaultLocation
    var first: Test
    /// Of another server where there is one; nil: none gave a speed of the line.
    var second: Test?
    /// What each test should have reached.
    var least: BitRate
    /// nil: the plan names none.
    var normal: BitRate?
    /// What the plan names; above `least` where that is a share of the maximum.
    var named: BitRate

    /// What was measured, what was promised, and whom to call.
    var sentence: String {
        func text(_ rate: BitRate) -> String { ReportText.rate(rate.bitsPerSecond) }
        let name = direction == .download ? "Download" : "Upload"
        let enough = normal == nil && named > least ? " (\(text(least)) are enough)" : ""
        let found = "\(name): \(text(first.rate)) of the plan's \(text(named))\(enough)"
        let retest = second.map { " (\(text($0.rate)) by \($0.server))" } ?? ""
        return switch confirmation {
        case .confirmed:
            "\(found), confirmed by a second test\(retest). "
                + (location == .unknown ? "The place is not known." : "Whom to call: \(location.call).")
        case .refuted where location == .destination:
            "\(found) by \(first.server) alone: another test reached the plan\(retest)."
        case .refuted: "\(found) by \(first.server): a second test reached the plan\(retest)."
        case .failed: "\(found), which no second test has confirmed."
        }
    }
}

extension PlanShortfall: Encodable {
    private enum Key: String, CodingKey {
        case at, uplink, direction, server, measuredMbps, leastMbps, normalMbps, secondServer, secondMbps
        case confirmation, location, call, sentence
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(first.at, forKey: .at)
        try container.encode(uplink, forKey: .uplink)
        try container.encode(direction, forKey: .direction)
        try container.encode(first.server, forKey: .server)
        try container.encode(first.rate.megabits, forKey: .measuredMbps)
        try container.encode(least.megabits, forKey: .leastMbps)
        try container.encode(normal?.megabits, forKey: .normalMbps)
        try container.encode(second?.server, forKey: .secondServer)
        try container.encode(second?.rate.megabits, forKey: .secondMbps)
        try container.encode(confirmation.rawValue, forKey: .confirmation)
        try container.encode(location.rawValue, forKey: .location)
        try container.encode(location.call, forKey: .call)
        try container.encode(sentence, forKey: .sentence)
    }
}
