/// A part of a YAML document, with its line and column.
package struct YAMLNode: Sendable, Equatable {
    /// The content of a node.
    package enum Kind: Sendable, Equatable {
        /// A single text; how it was written decides whether it can be nothing, a number or a truth value.
        case scalar(String, style: ScalarStyle)
        /// A list.
        case sequence([YAMLNode])
        /// Keys with values, in the order of the file, each key once.
        case mapping([Entry])
    }

    /// How a scalar was written.
    package enum ScalarStyle: Sendable, Equatable {
        /// Without quotes.
        case plain
        /// In single or double quotes, or as a block after `|` or `>`.
        case quoted
    }

    /// One key with its value.
    package struct Entry: Sendable, Equatable {
        package var key: String
        /// Counted from 1.
        package var keyLine: Int
        package var value: YAMLNode
    }

    package var kind: Kind
    /// Counted from 1.
    package var line: Int
    /// Counted from 1, in characters.
    package var column: Int

    /// Whether nothing was written (`key:`), or the plain `~` or `null` that YAML has for it.
    package var isNull: Bool {
        guard case .scalar(let text, .plain) = kind else { return false }
        return text.isEmpty || text == "~" || text == "null"
    }

    /// The node as an error message names it; a text with an `@` may be a URL with a password, and is not shown.
    var found: String {
        guard case .scalar(let text, _) = kind, !isNull, !text.contains("@") else { return foundKind }
        return quoted(text)
    }

    /// The same without its text, which may be a secret where no text is expected.
    var foundKind: String {
        switch kind {
        case .scalar: isNull ? "nothing" : "a text"
        case .sequence(let nodes): nodes.isEmpty ? "an empty list" : "a list"
        case .mapping: "a mapping"
        }
    }
}
