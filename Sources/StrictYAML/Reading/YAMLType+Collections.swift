extension YAMLType {
    /// A list; a key with nothing after it is an empty one.
    package static func list<Element>(of element: YAMLType<Element>) -> YAMLType where Value == [Element] {
        YAMLType(expectations: ["a list"]) { cursor throws(YAMLError) in
            guard !cursor.node.isNull else { return [] }
            guard case .sequence(let nodes) = cursor.node.kind else { throw cursor.mismatch("a list") }
            var values: [Element] = []
            for (index, node) in nodes.enumerated() {
                values.append(try element.read(cursor.child(node, at: "\(cursor.path)[\(index)]")))
            }
            return values
        }
    }

    /// A list, or one value alone, as in `status: 204` and `status: [200, 204]`.
    package static func oneOrMore<Element>(of element: YAMLType<Element>) -> YAMLType where Value == [Element] {
        YAMLType(expectations: element.expectations + ["a list"]) { cursor throws(YAMLError) in
            guard case .sequence = cursor.node.kind else { return [try element.read(cursor)] }
            return try YAMLType.list(of: element).read(cursor)
        }
    }

    /// A mapping whose keys the user chooses, in the order of the file; `names` says which keys are taken.
    package static func dictionary<Element>(
        of element: YAMLType<Element>,
        names: YAMLType<String> = .nonEmptyString
    ) -> YAMLType where Value == [NamedValue<Element>] {
        YAMLType(expectations: ["a mapping"]) { cursor throws(YAMLError) in
            guard !cursor.node.isNull else { return [] }
            guard case .mapping(let entries) = cursor.node.kind else { throw cursor.mismatch("a mapping") }
            var values: [NamedValue<Element>] = []
            for entry in entries {
                // Keys are not filled in, so they are read as they stand.
                let key = YAMLNode(kind: .scalar(entry.key, style: .quoted), line: entry.keyLine, column: 1)
                let literal = YAMLDocument(file: cursor.document.file, expander: nil)
                _ = try names.read(YAMLCursor(node: key, path: cursor.path, document: literal))
                let path = joined(cursor.path, entry.key)
                values.append(NamedValue(name: entry.key, value: try element.read(cursor.child(entry.value, at: path))))
            }
            return values
        }
    }

    /// A mapping with known keys, read by a function; any other key is an error.
    package static func section(
        _ read: @escaping (inout MappingReader) throws(YAMLError) -> Value
    ) -> YAMLType {
        YAMLType(expectations: ["a mapping"]) { cursor throws(YAMLError) in
            var reader = try MappingReader(cursor)
            let value = try read(&reader)
            try reader.finish()
            return value
        }
    }
}

/// A path with one more key.
func joined(_ path: String, _ key: String) -> String {
    let isPlain = !key.isEmpty && key == shortened(key) && !key.unicodeScalars.contains { $0.value < 0x20 }
    let shown = isPlain ? key : quoted(key)
    return path.isEmpty ? shown : "\(path).\(shown)"
}
