extension YAMLType {
    /// A list; a key with nothing after it is an empty one.
    package static func list<Element>(of element: YAMLType<Element>) -> YAMLType where Value == [Element] {
        YAMLType(expectations: ["a list"]) { cursor throws(YAMLError) in
            guard !cursor.node.isNull else { return [] }
            guard case .sequence(let nodes) = cursor.node.kind else { throw cursor.mismatch("a list") }
            return try cursor.each(nodes.enumerated()) { (index, node) throws(YAMLError) in
                try element.read(cursor.child(node, at: "\(cursor.path)[\(index)]"))
            }
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
            return try cursor.each(entries) { (entry) throws(YAMLError) in
                // Keys are not filled in, so they are read as they stand.
                let key = YAMLNode(kind: .scalar(entry.key, style: .quoted), line: entry.keyLine, column: 1)
                var literal = cursor.child(key, at: cursor.path)
                literal.document.expander = nil
                _ = try names.read(literal)
                let path = joined(cursor.path, entry.key)
                return NamedValue(name: entry.key, value: try element.read(cursor.child(entry.value, at: path)))
            }
        }
    }

    /// A mapping with known keys, read by a function; any other key is an error.
    package static func section(
        _ read: @escaping (inout MappingReader) throws(YAMLError) -> Value
    ) -> YAMLType {
        YAMLType(expectations: ["a mapping"]) { cursor throws(YAMLError) in
            var reader = try MappingReader(cursor)
            let value: Value
            do throws(YAMLError) {
                value = try read(&reader)
                try reader.finish()
            } catch {
                // Where a value could not be read, a rule between values has judged its default.
                throw reader.failure ?? error
            }
            if let failure = reader.failure { throw failure }
            return value
        }
    }
}

extension YAMLCursor {
    /// The values of all parts; those after a bad one are read for their errors.
    fileprivate func each<Parts: Sequence, Element>(
        _ parts: Parts,
        _ read: (Parts.Element) throws(YAMLError) -> Element
    ) throws(YAMLError) -> [Element] {
        var values: [Element] = []
        var failure: YAMLError?
        for part in parts {
            do throws(YAMLError) {
                values.append(try read(part))
            } catch {
                guard let failure else {
                    failure = error
                    continue
                }
                guard document.problems.add(error) else { throw failure }
            }
        }
        if let failure { throw failure }
        return values
    }
}

/// A path with one more key.
func joined(_ path: String, _ key: String) -> String {
    let isPlain = !key.isEmpty && key == shortened(key) && !key.unicodeScalars.contains { $0.value < 0x20 }
    let shown = isPlain ? key : quoted(key)
    return path.isEmpty ? shown : "\(path).\(shown)"
}
