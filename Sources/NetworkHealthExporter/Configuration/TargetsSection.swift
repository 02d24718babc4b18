import Probing
import StrictYAML

/// The keys `targets_on_expensive`, `targets` and `targets_files`.
struct TargetsSection: Sendable, Equatable {
    /// One file of `targets_files`.
    struct File: Sendable, Equatable {
        var path: String
        var targets: [Target]
    }

    /// For targets without `on_expensive`.
    var onExpensive = CostRule.slow
    /// The targets of the configuration file itself.
    var listed: [Target] = []
    /// `targets_files` with absolute paths.
    var patterns: [String] = []
    /// The files that the patterns match.
    var files: [File] = []

    /// The targets of all files; each name once.
    var all: [Target] { listed + files.flatMap(\.targets) }

    static var keys: [YAMLKey<TargetsSection>] {
        [
            .key("targets_on_expensive", \.onExpensive, .oneOf),
            .key("targets", \.listed, TargetList.type),
            .key("targets_files", \.patterns, .list(of: .pattern)),
        ]
    }

    /// The targets of the files, as comments.
    var comments: String {
        files.map { file in
            let targets = TargetList.type.write(file.targets).map(\.document) ?? ""
            let lines = targets.split(separator: "\n").map { "#   \($0)\n" }
            return "# \(YAMLText.quoted(file.path).flow)\n" + lines.joined()
        }.joined()
    }
}
