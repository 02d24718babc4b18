import Probing
import StrictYAML

/// The keys `targets_on_expensive`, `targets` and `targets_files`: what is watched, and what that may cost.
struct TargetsSection: Sendable, Equatable {
    /// What one file of `targets_files` holds.
    struct File: Sendable, Equatable {
        var path: String
        var targets: [Target]
    }

    /// For targets without a word of their own.
    var onExpensive = CostRule.slow
    /// Those of the configuration file itself.
    var listed: [Target] = []
    /// `targets_files` with absolute paths.
    var patterns: [String] = []
    /// What the patterns match.
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

    /// What the files hold, as comments.
    var comments: String {
        files.map { file in
            let targets = TargetList.type.write(file.targets).map(\.document) ?? ""
            let lines = targets.split(separator: "\n").map { "#   \($0)\n" }
            return "# \(YAMLText.quoted(file.path).flow)\n" + lines.joined()
        }.joined()
    }
}
