import NetworkHealth
import StrictYAML

/// The keys `requirements` and `health`: what applications may ask `/health` for.
struct RequirementsSection: Sendable, Equatable {
    /// In the order of the file; one with a built-in name takes its place.
    var own: [Requirement] = []
    /// How long a measurement counts; nil: as the schedule of the tests has it.
    var staleAfter: Duration?
    var unmeasured = Requirement.Unmeasured.estimate

    /// Built-in ones first.
    var names: [String] {
        let builtIn = Requirement.builtIn.map(\.name)
        return builtIn + own.map(\.name).filter { !builtIn.contains($0) }
    }

    var byName: [String: Requirement] {
        Dictionary((Requirement.builtIn + own).map { ($0.name, $0) }) { _, redefined in redefined }
    }

    /// The name of a requirement that is no fixed one, but made of the question's own parameters.
    static let custom = "custom"
}

extension RequirementsSection {
    /// Reads `requirements` and `health`.
    ///
    /// - Returns: the names of targets that requirements have, where they stand.
    mutating func read(_ map: inout MappingReader) throws(YAMLError) -> [Placed<String>] {
        let entries = try map.read(
            "requirements",
            as: .dictionary(of: .section(Self.requirement), names: Self.name),
            default: []
        )
        own = entries.map { entry in
            var requirement = entry.value.requirement
            requirement.name = entry.name
            return requirement
        }
        (staleAfter, unmeasured) = try map.section("health") { (map) throws(YAMLError) in
            let age = YAMLType.duration(in: .seconds(60) ... .seconds(365 * 86_400))
            return (
                try map.read("stale_after", as: .keyword("auto", or: age), default: nil),
                try map.read("unmeasured", as: .oneOf, default: .estimate)
            )
        }
        return entries.flatMap(\.value.targets)
    }

    private static var name: YAMLType<String> {
        .text("a letter and up to 63 letters, digits and _, and not \(custom)") { text in
            isName(text) && text != custom ? text : nil
        }
    }

    /// Whether a text could be the name of a requirement.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, (1...64).contains(text.utf8.count) else { return false }
        return first.properties.isAlphabetic && text.utf8.allSatisfy { $0.isNameByte && $0 != UInt8(ascii: "-") }
    }

    private static func requirement(
        _ map: inout MappingReader
    ) throws(YAMLError) -> (requirement: Requirement, targets: [Placed<String>]) {
        var new = Requirement(name: "")
        new.quality = try map.optional("quality", as: quality)
        new.maxLatency = try map.optional("max_latency", as: .duration(in: .milliseconds(1) ... .seconds(60)))
        new.maxJitter = try map.optional("max_jitter", as: .duration(in: .milliseconds(1) ... .seconds(60)))
        new.maxLoss = try map.optional("max_loss", as: .ratio)
        new.minDownload = try map.optional("min_download", as: .bitRate).map(Double.init)
        new.minUpload = try map.optional("min_upload", as: .bitRate).map(Double.init)
        new.allowsExpensive = try map.read("allow_expensive", as: .bool, default: true)
        new.allowsConstrained = try map.read("allow_constrained", as: .bool, default: true)
        let targets = try map.read("targets", as: .list(of: YAMLType.targetName.placed), default: [])
        new.targets = targets.map(\.value)
        new.maxAge = try map.optional("max_age", as: .duration(in: .seconds(60) ... .seconds(365 * 86_400)))
        new.unmeasured = try map.optional("unmeasured", as: .oneOf)
        new.hold = try map.read("hold", as: .duration(in: .zero ... .seconds(3600)), default: new.hold)
        return (new, targets)
    }

    /// Any but offline, which nobody needs.
    private static var quality: YAMLType<NetworkQuality> {
        let names = NetworkQuality.allCases.filter { $0 != .offline }.map(\.rawValue)
        return .text("one of: \(names.joined(separator: ", "))") { text in
            names.contains(text) ? NetworkQuality(rawValue: text) : nil
        }
    }

    /// The sections as they would be written.
    var yaml: String {
        let head = own.isEmpty ? ["requirements: {}"] : ["requirements:"]
        let entries = own.map { "  \($0.name): \(YAMLText.flow($0.yamlEntries))" }
        let health = [
            "health:",
            "  stale_after: \(staleAfter.map(DurationText.format) ?? "auto")",
            "  unmeasured: \(unmeasured.rawValue)",
        ]
        return (head + entries + health).joined(separator: "\n") + "\n"
    }
}

extension Requirement {
    /// The largest of integers is no number of this type, and the next one up is no integer.
    private static func rate(_ rate: Double) -> String { BitRateText.format(Int(exactly: rate) ?? Int.max) }

    fileprivate var yamlEntries: [(String, String)] {
        let limits: [(String, String?)] = [
            ("quality", quality?.rawValue), ("max_latency", maxLatency.map(DurationText.format)),
            ("max_jitter", maxJitter.map(DurationText.format)), ("max_loss", maxLoss.map { "\($0)" }),
            ("min_download", minDownload.map(Self.rate)),
            ("min_upload", minUpload.map(Self.rate)),
            ("allow_expensive", "\(allowsExpensive)"), ("allow_constrained", "\(allowsConstrained)"),
            ("targets", targets.isEmpty ? nil : YAMLText.list(targets.map(YAMLText.quoted))),
            ("max_age", maxAge.map(DurationText.format)), ("unmeasured", unmeasured?.rawValue),
            ("hold", DurationText.format(hold)),
        ]
        return limits.compactMap { name, value in value.map { (name, $0) } }
    }
}
