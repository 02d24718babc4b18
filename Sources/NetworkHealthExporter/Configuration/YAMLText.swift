import StrictYAML

/// Texts that are YAML already.
enum EntryText {
    static func quoted(_ text: String) -> String { YAMLText.quoted(text).flow }

    static func flow(_ entries: [(key: String, value: String)]) -> String {
        entries.isEmpty ? "{}" : "{ \(entries.map { "\($0): \($1)" }.joined(separator: ", ")) }"
    }

    static func list(_ values: [String]) -> String { "[\(values.joined(separator: ", "))]" }

    static let secret = quoted("<secret>")
}
