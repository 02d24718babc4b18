/// Reads a mapping key by key; what nobody read is an unknown key.
///
/// A section of a configuration is a function `init(reading map: inout MappingReader) throws(YAMLError)` that reads
/// each key by name with its default. Sections are reached with ``section(_:_:)``, which also refuses unknown keys.
package struct MappingReader {
    private let cursor: YAMLCursor
    private let entries: [YAMLNode.Entry]
    /// All keys asked for, present or not: the valid ones.
    private var known: [String] = []

    package init(_ cursor: YAMLCursor) throws(YAMLError) {
        self.cursor = cursor
        switch cursor.node.kind {
        case .mapping(let entries): self.entries = entries
        case _ where cursor.node.isNull: entries = []
        default: throw cursor.mismatch("a mapping")
        }
    }

    /// A value that must be there.
    package mutating func required<Value>(_ key: String, as type: YAMLType<Value>) throws(YAMLError) -> Value {
        if let value = try optional(key, as: type) { return value }
        let unread = entries.map(\.key).filter { !known.contains($0) }
        let hint = closest(to: key, among: unread).map { " (is \(quoted($0)) meant to be it?)" } ?? ""
        throw cursor.error("the key \(quoted(key)) is missing\(hint)")
    }

    /// A value with a default.
    package mutating func read<Value>(
        _ key: String,
        as type: YAMLType<Value>,
        default value: @autoclosure () -> Value
    ) throws(YAMLError) -> Value {
        try optional(key, as: type) ?? value()
    }

    /// A value that may be absent.
    package mutating func optional<Value>(_ key: String, as type: YAMLType<Value>) throws(YAMLError) -> Value? {
        known.append(key)
        guard let entry = entry(key) else { return nil }
        return try type.read(cursor.child(entry.value, at: joined(cursor.path, key)))
    }

    /// A nested mapping; an absent one is read as an empty one, so that its defaults stand in one place.
    package mutating func section<Value>(
        _ key: String,
        _ read: @escaping (inout MappingReader) throws(YAMLError) -> Value
    ) throws(YAMLError) -> Value {
        if let value = try optional(key, as: .section(read)) { return value }
        let nothing = YAMLNode(kind: .mapping([]), line: cursor.node.line, column: cursor.node.column)
        return try YAMLType.section(read).read(cursor.child(nothing, at: joined(cursor.path, key)))
    }

    /// Whether the key is in the file.
    package func contains(_ key: String) -> Bool {
        entry(key) != nil
    }

    /// An error about a key, for rules that hold between values; without a key, about the whole mapping.
    package func error(_ message: String, at key: String? = nil) -> YAMLError {
        guard let key else { return cursor.error(message) }
        let path = joined(cursor.path, key)
        return entry(key).map { cursor.child($0.value, at: path).error(message) } ?? cursor.error("\(key): \(message)")
    }

    /// Throws for the first key that was never asked for.
    package func finish() throws(YAMLError) {
        guard let unknown = entries.first(where: { !known.contains($0.key) }) else { return }
        let hint = closest(to: unknown.key, among: known).map { ", did you mean \(quoted($0))?" } ?? ""
        let valid = known.isEmpty ? "no key is taken here" : "valid keys: \(known.joined(separator: ", "))"
        throw YAMLError(
            file: cursor.document.file,
            line: unknown.keyLine,
            path: cursor.path,
            message: "unknown key \(quoted(unknown.key))\(hint) (\(valid))"
        )
    }

    private func entry(_ key: String) -> YAMLNode.Entry? {
        entries.first { $0.key == key }
    }
}
