/// The keys of a mapping while it is read; a key that was not read is unknown.
///
/// A bad value is kept as an error, and its default is taken, so that one reading finds all errors.
package struct MappingReader {
    private let cursor: YAMLCursor
    private let entries: [YAMLNode.Entry]
    /// All keys asked for, present or not: the valid ones.
    private var known: [String] = []
    /// The first error among the values; the others are kept with the document.
    private(set) var failure: YAMLError?

    init(_ cursor: YAMLCursor) throws(YAMLError) {
        self.cursor = cursor
        switch cursor.node.kind {
        case .mapping(let entries): self.entries = entries
        case _ where cursor.node.isNull: entries = []
        default: throw cursor.kindMismatch("a mapping")
        }
    }

    /// A value that must be there: where it is missing or bad, the mapping is read no further.
    mutating func required<Value>(_ key: String, as type: YAMLType<Value>) throws(YAMLError) -> Value {
        if let value = try optional(key, as: type) { return value }
        if let failure, contains(key) { throw failure }
        let unread = entries.map(\.key).filter { !known.contains($0) }
        let hint = closest(to: key, among: unread).map { " (is \(quoted($0)) meant to be it?)" } ?? ""
        let missing = cursor.error("the key \(quoted(key)) is missing\(hint)")
        try keep(missing)
        throw failure ?? missing
    }

    /// A value that may be absent; nil for a bad one, too.
    ///
    /// Throws only where enough errors were found to end the reading.
    mutating func optional<Value>(_ key: String, as type: YAMLType<Value>) throws(YAMLError) -> Value? {
        known.append(key)
        guard let entry = entry(key) else { return nil }
        do throws(YAMLError) {
            return try type.read(cursor.child(of: entry))
        } catch {
            try keep(error)
            return nil
        }
    }

    /// Whether the key is in the file.
    package func contains(_ key: String) -> Bool {
        entry(key) != nil
    }

    /// The keys of a nested mapping that are in the file.
    package func names(in key: String) -> [String] {
        guard case .mapping(let entries)? = entry(key)?.value.kind else { return [] }
        return entries.map(\.key)
    }

    /// An error about a key, for rules that hold between values; without a key, about the whole mapping.
    package func error(_ message: String, at key: String? = nil) -> YAMLError {
        guard let key else { return cursor.error(message) }
        return cursor[key]?.error(message) ?? cursor.error("\(key): \(message)")
    }

    /// Keeps an error for each key that was not read; `elsewhere` explains one that is read under other conditions.
    mutating func finish(elsewhere: (String) -> String? = { _ in nil }) throws(YAMLError) {
        let valid = known.isEmpty ? "no key is taken here" : "valid keys: \(known.joined(separator: ", "))"
        for unknown in entries where !known.contains(unknown.key) {
            if let explanation = elsewhere(unknown.key) {
                try keep(error(explanation, at: unknown.key))
                continue
            }
            let hint = closest(to: unknown.key, among: known).map { ", did you mean \(quoted($0))?" } ?? ""
            try keep(
                YAMLError(
                    file: cursor.document.file,
                    line: unknown.keyLine,
                    path: cursor.path,
                    message: "unknown key \(quotedKey(unknown.key))\(hint) (\(valid))"
                )
            )
        }
    }

    /// Throws where enough errors were found to end the reading.
    mutating func keep(_ error: YAMLError) throws(YAMLError) {
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
