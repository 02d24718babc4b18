import NetworkPath
import Posix
import StrictYAML

/// The key `path`: which way counts, at what cost, and how long a change must last.
struct PathSection: Sendable, Equatable {
    var policy = PathPolicy()
    /// The absolute path of a file holding 0 or 1.
    var expensiveFile: String?
    var timings = SettleTimings()
    /// What a requirement that forbids expensive paths answers where nobody knows.
    var unknownExpensive = CostAnswer.allow

    enum CostAnswer: String, Sendable, CaseIterable {
        case allow, deny
    }

    init() {}

    init(reading map: inout MappingReader, in folder: ConfigurationFolder) throws(YAMLError) {
        let (policy, timings) = (policy, timings)
        self.policy.anchors = try map.section("anchors") { (map) throws(YAMLError) in
            var anchors = policy.anchors
            for family in AddressFamily.allCases {
                if let anchor = try map.optional(family.rawValue, as: .address(family)) { anchors[family] = anchor }
            }
            return anchors
        }
        self.policy.expensive = try map.read("expensive", as: .keyword("auto", or: .bool), default: nil)
        self.expensiveFile = try map.optional("expensive_file", as: .string).flatMap {
            $0.isEmpty ? nil : folder.resolve($0)
        }
        unknownExpensive = try map.read("unknown_expensive", as: .oneOf, default: .allow)
        self.policy.constrained = try map.read("constrained", as: .bool, default: false)
        self.policy.rules = try map.read("rules", as: .list(of: .section(Self.rule)), default: [])
        self.timings = try map.section("settle") { (map) throws(YAMLError) in
            var settle = timings
            settle.quiet = try map.read("quiet", as: .duration(in: .zero ... .seconds(10)), default: settle.quiet)
            settle.max = try map.read("max", as: .duration(in: .zero ... .seconds(60)), default: settle.max)
            settle.downHold = try map.read(
                "down_hold",
                as: .duration(in: .zero ... .seconds(3600)),
                default: settle.downHold
            )
            settle.upHold = try map.read("up_hold", as: .duration(in: .zero ... .seconds(3600)), default: settle.upHold)
            guard settle.max >= settle.quiet else { throw map.error("expected at least quiet", at: "max") }
            return settle
        }
    }

    private static func rule(_ map: inout MappingReader) throws(YAMLError) -> PathPolicy.Rule {
        let rule = PathPolicy.Rule(
            interfaceGlob: try map.required("interface", as: .nonEmptyString),
            expensive: try map.optional("expensive", as: .bool),
            constrained: try map.optional("constrained", as: .bool)
        )
        guard rule.expensive != nil || rule.constrained != nil else {
            throw map.error("expected expensive or constrained beside the interface")
        }
        return rule
    }

    /// The section as it would be written.
    var yaml: String {
        var lines = ["path:"]
        let anchors = AddressFamily.allCases.compactMap { family in
            policy.anchors[family].map { "\(family.rawValue): \"\($0)\"" }
        }
        lines.append("  anchors: { \(anchors.joined(separator: ", ")) }")
        lines.append("  expensive: \(policy.expensive.map(String.init) ?? "auto")")
        lines.append("  expensive_file: \(YAMLText.quoted(expensiveFile ?? ""))")
        lines.append("  unknown_expensive: \(unknownExpensive.rawValue)")
        lines.append("  constrained: \(policy.constrained)")
        lines.append(policy.rules.isEmpty ? "  rules: []" : "  rules:")
        for rule in policy.rules {
            let values = [("expensive", rule.expensive), ("constrained", rule.constrained)].compactMap { key, value in
                value.map { ", \(key): \($0)" }
            }
            lines.append("    - { interface: \(YAMLText.quoted(rule.interfaceGlob))\(values.joined()) }")
        }
        let settle = [
            ("quiet", timings.quiet), ("max", timings.max), ("down_hold", timings.downHold),
            ("up_hold", timings.upHold),
        ]
        let texts = settle.map { "\($0): \(DurationText.format($1))" }
        lines.append("  settle: { \(texts.joined(separator: ", ")) }")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension YAMLType where Value == IPAddress {
    /// An address of one family that a route can lead to.
    static func address(_ family: AddressFamily) -> YAMLType {
        .text("a global \(family == .ipv4 ? "IPv4" : "IPv6") address") { text in
            IPAddress(text).flatMap { $0.family == family && $0.isRoutable ? $0 : nil }
        }
    }
}
