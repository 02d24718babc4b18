/// A node with the keys that led to it: where a reader stands.
package struct YAMLCursor {
    package let node: YAMLNode
    /// The keys that lead here, `targets[2].address`.
    package let path: String
    var document: YAMLDocument

    /// An error about this node.
    package func error(_ message: String) -> YAMLError {
        YAMLError(file: document.file, line: node.line, path: path, message: message)
    }

    /// The error that this node is not what it should be.
    ///
    /// It shows the text as it stands in the file: what was filled in for `${…}` may be a secret.
    package func mismatch(_ expectation: String) -> YAMLError {
        error("expected \(expectation), found \(node.found)")
    }

    /// The text of a scalar, filled in, and whether it may be a number or a truth value: a quoted one is text.
    func scalar(expecting expectation: String) throws(YAMLError) -> (text: String, isText: Bool) {
        guard case .scalar(let text, let style) = node.kind, !node.isNull else { throw mismatch(expectation) }
        do throws(Expander.Failure) {
            let expanded = try document.expander?.expand(text) ?? text
            return (expanded, style == .quoted && expanded == text)
        } catch {
            throw self.error(error.description)
        }
    }

    func child(_ node: YAMLNode, at path: String) -> YAMLCursor {
        YAMLCursor(node: node, path: path, document: document)
    }
}
