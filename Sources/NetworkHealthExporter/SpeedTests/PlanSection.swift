import NetworkHealth
import SpeedTestCore
import Statistics
import StrictYAML

/// The key `plan`: the speeds that the contract of the line promises.
struct PlanSection: Sendable, Equatable {
    /// The device or the name of the uplink, as the label `uplink`; empty: of every uplink.
    var uplink = ""
    var speeds = SpeedPlan()

    static var keys: [YAMLKey<PlanSection>] {
        [.key("uplink", \.uplink, .string)] + SpeedPlan.keys.of(\.speeds)
    }
}

extension SpeedPlan {
    subscript(direction: Direction) -> Rates { direction == .download ? download : upload }

    static var keys: [YAMLKey<SpeedPlan>] {
        [
            .section("download", \.download, Rates.keys, complete: Rates.complete),
            .section("upload", \.upload, Rates.keys, complete: Rates.complete),
        ]
    }
}

extension SpeedPlan.Rates {
    fileprivate static var keys: [YAMLKey<Self>] {
        let rate = YAMLType<Int>.bitRate.checked("a rate of at least 1kbps") { $0 >= 1000 }
        return [
            .key("maximum", \.maximum, .optional(rate)), .key("normal", \.normal, .optional(rate)),
            .key("minimum", \.minimum, .optional(rate)),
        ]
    }

    fileprivate static func complete(_ rates: inout Self, _ map: MappingReader) throws(YAMLError) {
        let given = [("minimum", rates.minimum), ("normal", rates.normal), ("maximum", rates.maximum)]
            .compactMap { name, rate in rate.map { (name, $0) } }
        for (lower, higher) in zip(given, given.dropFirst()) where lower.1 > higher.1 {
            throw map.error("expected at most \(higher.0)", at: lower.0)
        }
    }
}
