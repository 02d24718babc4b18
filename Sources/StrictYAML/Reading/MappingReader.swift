/// Reads a mapping key by key; what nobody read is an unknown key.
///
/// A bad value is kept as an error, and its default is taken, so that one reading finds all errors.
///
/// A section of a configuration is a function `init(reading map: inout MappingReader) throws(YAMLError)` that reads
/// each key by name with its default. Sections are reached with ``section(_:_:)``, which also refuses unknown keys.
package struct MappingReader {
    private let cursor: YAMLCursor
    private let entries: [YAMLNode.Entry]
    /// All keys asked for, present or not: the valid ones.
    private var known: [String] = []
    /// The first error among the values; the others are kept with the document.
    private(set) var failure: YAMLError?

    package init(_ cursor: YAMLCursor) throws(YAMLError) {
        self.cursor = cursor
        switch cursor.node.kind {
        case .mapping(let entries): self.entries = entries
        case _ where cursor.node.isNull: entries = []
        default: throw cursor.mismatch("a mapping")
        }
    }

    /// A value that must be there: where it is missing or bad, the mapping is read no further.
    package mutating func required<Value>(_ key: String, as type: YAMLType<Value>) throws(YAMLError) -> Value {
        if let value = try optional(key, as: type) { return value }
        if let failure, contains(key) { throw failure }
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

    /// A value that may be absent; nil for a bad one, too.
    ///
    /// Throws only where enough errors were found to end the reading.
    package mutating func optional<Value>(_ key: String, as type: YAMLType<Value>) throws(YAMLError) -> Value? {
        known.append(key)
        guard let entry = entry(key) else { return nil }
        do throws(YAMLError) {
            return try type.read(cursor.child(entry.value, at: joined(cursor.path, key)))
        } catch {
            try keep(error)
            return nil
        }
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

    /// Takes each key that was never asked for as an error.
    mutating func finish() throws(YAMLError) {
        let valid = known.isEmpty ? "no key is taken here" : "valid keys: \(known.joined(separator: ", "))"
        for unknown in entries where !known.contains(unknown.key) {
            let hint = closest(to: unknown.key, among: known).map { ", did you mean \(quoted($0))?" } ?? ""
            try keep(
                YAMLError(
                    file: cursor.document.file,
                    line: unknown.keyLine,
                    path: cursor.path,
                    message: "unknown key \(quoted(unknown.key))\(hint) (\(valid))"
                )
            )
        }
    }

    private mutating func keep(_ error: YAMLError) throws(YAMLError) {
        guard let failure else {
            failure = error
            return
        }
        guard cursor.document.problems.add(error) else { throw failure }
    }

    private func entry(_ key: String) -> YAMLNode.Entry? {
        entries.first { $0.key == key }
    }
}
