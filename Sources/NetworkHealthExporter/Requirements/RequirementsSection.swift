import NetworkHealth
import StrictYAML

/// The keys `requirements` and `health`: the requirements that `/health` evaluates.
struct RequirementsSection: Sendable, Equatable {
    /// In the order of the file; one with a built-in name replaces the built-in one.
    var own: [Requirement] = []
    /// How long a speed test counts; nil: twice the longest gap of its schedule.
    var staleAfter: Duration?
    var unmeasured = Requirement.Unmeasured.estimate
    var costUnknown = CostUnknown.auto

    /// The answer of a requirement that forbids expensive paths where the cost is unknown.
    enum CostUnknown: String, Sendable, CaseIterable {
        /// As `deny`.
        case auto
        case allow, deny
    }

    /// Built-in ones first.
    var names: [String] {
        let builtIn = Requirement.builtIn.map(\.name)
        return builtIn + own.map(\.name).filter { !builtIn.contains($0) }
    }

    var byName: [String: Requirement] {
        Dictionary((Requirement.builtIn + own).map { ($0.name, $0) }) { _, redefined in redefined }
    }

    /// The name of a requirement that is made of a request's parameters.
    static let custom = "custom"
}

extension RequirementsSection {
    /// The keys `requirements` and `health`, which belong together.
    static var keys: [YAMLKey<RequirementsSection>] {
        [
            .key(
                "requirements",
                \.own,
                YAMLType.entries(of: requirement, names: name).mapped(
                    { $0.map { $0.value.named($0.name) } },
                    { $0.map { NamedValue(name: $0.name, value: $0) } }
                )
            ),
            .section(
                "health",
                \.self,
                [
                    .key("cost_unknown", \.costUnknown, .oneOf),
                    .key("stale_after", \.staleAfter, .keyword("auto", or: age)),
                    .key("unmeasured", \.unmeasured, .oneOf),
                ]
            ),
        ]
    }

    private static var requirement: YAMLType<Requirement> {
        let limit = YAMLType.duration(in: .milliseconds(1) ... .seconds(60))
        // The largest of integers is no Double, and the next one up is no integer.
        let rate = YAMLType<Int>.bitRate.mapped(Double.init) { Int(exactly: $0) ?? Int.max }
        // Any but offline, which no application needs.
        let qualities = NetworkQuality.allCases.filter { $0 != .offline }
        return .section(
            Requirement(name: ""),
            [
                .key("quality", \.quality, .optional(.oneOf(qualities))),
                .key("max_latency", \.maxLatency, .optional(limit)),
                .key("max_jitter", \.maxJitter, .optional(limit)),
                .key("max_loss", \.maxLoss, .optional(.ratio)),
                .key("min_download", \.minDownload, .optional(rate)),
                .key("min_upload", \.minUpload, .optional(rate)),
                .key("allow_expensive", \.allowsExpensive, .bool),
                .key("allow_constrained", \.allowsConstrained, .bool),
                .key("targets", \.targets, YAMLType.list(of: .targetName).omitted(\.isEmpty)),
                .key("uplink", \.uplink, .optional(.nonEmptyString)),
                .key("max_age", \.maxAge, .optional(age)),
                .key("unmeasured", \.unmeasured, .optional(.oneOf)),
                .key("hold", \.hold, .duration(in: .zero ... .seconds(3600))),
            ]
        )
    }

    private static var age: YAMLType<Duration> { .duration(in: .seconds(60) ... .seconds(365 * 86_400)) }

    private static var name: YAMLType<String> {
        .text("a letter and up to 63 letters, digits and _, and not \(custom)") { text in
            isName(text) && text != custom ? text : nil
        }
    }

    /// Whether a text could be the name of a requirement.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, (1...64).contains(text.utf8.count) else { return false }
        return first.properties.isAlphabetic && text.utf8.allSatisfy(\.isWordByte)
    }
}

extension Requirement {
    fileprivate func named(_ name: String) -> Requirement {
        var new = self
        new.name = name
        return new
    }
}
