import Probing
import StrictYAML

/// The keys `targets_on_expensive`, `targets`, `targets_files` and `targets_files_expand`.
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
    /// Whether `${…}` is filled in there: other programs write these files, and must not read this one's secrets.
    var expandsFiles = false
    /// The files that the patterns match.
    var files: [File] = []

    /// The targets of all files; each name once.
    var all: [Target] { listed + files.flatMap(\.targets) }

    static var keys: [YAMLKey<TargetsSection>] {
        [
            .key("targets_on_expensive", \.onExpensive, .oneOf),
            .key("targets", \.listed, TargetList.type),
            .key("targets_files", \.patterns, .list(of: .pattern)),
            .key("targets_files_expand", \.expandsFiles, .bool),
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

/// The targets read so far: each name occurs once in all files.
struct TargetList {
    /// Where each name was given, `exporter.yml:12`.
    private var places: [String: String] = [:]

    static var type: YAMLType<[Target]> { .list(of: Target.type) }

    /// Adds the targets of a list, whose names must be new.
    mutating func add(_ targets: [Target], at list: YAMLCursor?) throws(YAMLErrors) {
        for (index, target) in targets.enumerated() {
            guard let cursor = list?[index] else { continue }
            if let place = places[target.name] {
                throw YAMLErrors(
                    cursor.error("the name \(JSONText.quoted(target.name)) is already taken at \(place)")
                )
            }
            places[target.name] = "\(cursor.file):\(cursor.node.line)"
        }
    }

    /// The targets of one of `targets_files`: a file that is a list of them.
    mutating func add(
        _ file: ConfigurationSources.File,
        expander: Expander?
    ) throws(YAMLErrors) -> TargetsSection.File {
        let content: [UInt8]
        switch file.content {
        case .success(let bytes): content = bytes
        case .failure(let error):
            throw YAMLErrors(YAMLError(file: file.path, line: 1, message: "cannot read it: \(error)"))
        }
        let document = try YAMLDocument(content.span, file: file.path, expander: expander)
        let targets = try document.read(as: Self.type)
        try add(targets, at: document.root)
        return TargetsSection.File(path: file.path, targets: targets)
    }
}
