/// A node with the keys that lead to it.
package struct YAMLCursor {
    package let node: YAMLNode
    /// The keys that lead here, `targets[2].address`.
    package let path: String
    var document: YAMLDocument

    /// The file as the user named it.
    package var file: String { document.file }

    /// The value of a key; nil where this is no mapping, or one without it.
    package subscript(key: String) -> YAMLCursor? {
        guard case .mapping(let entries) = node.kind else { return nil }
        return entries.first { $0.key == key }.map(child(of:))
    }

    /// An element; nil where this is no list, or a shorter one.
    package subscript(index: Int) -> YAMLCursor? {
        guard case .sequence(let nodes) = node.kind, nodes.indices.contains(index) else { return nil }
        return element(index, of: nodes)
    }

    /// An error about this node.
    package func error(_ message: String) -> YAMLError {
        YAMLError(file: document.file, line: node.line, path: path, message: message)
    }

    /// The error that this node is not what it should be.
    ///
    /// It shows the text as the file has it: what was filled in for `${…}` may be a secret.
    package func mismatch(_ expectation: String) -> YAMLError {
        error("expected \(expectation), found \(node.found)")
    }

    /// The error that this node is no list, or no mapping.
    func kindMismatch(_ expectation: String) -> YAMLError {
        error("expected \(expectation), found \(node.foundKind)")
    }

    /// The text of a scalar, filled in, and whether it may not be a number or a truth value, since it is quoted.
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

    func child(of entry: YAMLNode.Entry) -> YAMLCursor { child(entry.value, at: joined(path, entry.key)) }

    func element(_ index: Int, of nodes: [YAMLNode]) -> YAMLCursor { child(nodes[index], at: "\(path)[\(index)]") }
}

/// A path with one more key.
func joined(_ path: String, _ key: String) -> String {
    let isPlain = !key.isEmpty && key == shortened(key) && !key.unicodeScalars.contains { $0.value < 0x20 }
    let shown = isPlain ? key : quoted(key)
    return path.isEmpty ? shown : "\(path).\(shown)"
}
