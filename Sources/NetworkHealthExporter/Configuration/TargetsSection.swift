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

    /// Reads the keys; what the list returned needs to know is for the other files.
    mutating func read(
        _ map: inout MappingReader,
        in folder: ConfigurationFolder
    ) throws(YAMLError) -> TargetList {
        onExpensive = try map.read("targets_on_expensive", as: .oneOf, default: onExpensive)
        var names = TargetList()
        listed = try names.add(try map.read("targets", as: TargetList.type(in: folder), default: []))
        let pattern = YAMLType<String>.text("a path or a pattern such as targets.d/*.yml") { text in
            text.isEmpty ? nil : folder.resolve(pattern: text)
        }
        patterns = try map.read("targets_files", as: .list(of: pattern), default: [])
        return names
    }

    /// The keys as they would be written; what the files hold stands in comments.
    var yaml: String {
        var lines = ["targets_on_expensive: \(onExpensive.rawValue)"]
        lines.append(listed.isEmpty ? "targets: []" : "targets:")
        lines += listed.flatMap(\.yamlLines).map { "  \($0)" }
        lines.append("targets_files: \(YAMLText.list(patterns.map(YAMLText.quoted)))")
        for file in files {
            lines.append("# \(YAMLText.quoted(file.path))")
            lines += file.targets.flatMap(\.yamlLines).map { "#   \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
