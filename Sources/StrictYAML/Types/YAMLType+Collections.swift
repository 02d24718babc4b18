extension YAMLType {
    /// A list; a key with nothing after it is an empty one.
    package static func list<Element>(of element: YAMLType<Element>) -> YAMLType where Value == [Element] {
        YAMLType(
            expectations: ["a list"],
            keys: element.keys.map { $0.below("[]") },
            read: { cursor throws(YAMLError) in
                guard !cursor.node.isNull else { return [] }
                guard case .sequence(let nodes) = cursor.node.kind else { throw cursor.kindMismatch("a list") }
                return try cursor.each(nodes.indices) { (index) throws(YAMLError) in
                    try element.read(cursor.element(index, of: nodes))
                }
            },
            write: { .list($0.compactMap(element.write)) }
        )
    }

    /// A list of things with names, each of which occurs once.
    package static func list<Element>(
        of element: YAMLType<Element>,
        distinct name: @escaping (Element) -> String,
        atMost limit: Int = .max
    ) -> YAMLType where Value == [Element] {
        let list = list(of: element)
        return YAMLType(
            expectations: list.expectations,
            keys: list.keys,
            read: { cursor throws(YAMLError) in
                let values = try list.read(cursor)
                guard values.count <= limit else { throw (cursor[limit] ?? cursor).error("expected at most \(limit)") }
                var names: Set<String> = []
                for (index, value) in values.enumerated() where !names.insert(name(value)).inserted {
                    throw (cursor[index] ?? cursor).error("the name \(quoted(name(value))) is already taken")
                }
                return values
            },
            write: list.write
        )
    }

    /// A list, or one value alone, as in `status: 204` and `status: [200, 204]`.
    package static func oneOrMore<Element>(of element: YAMLType<Element>) -> YAMLType where Value == [Element] {
        let list = YAMLType.list(of: element)
        return YAMLType(
            expectations: element.expectations + ["a list"],
            read: { cursor throws(YAMLError) in
                guard case .sequence = cursor.node.kind else { return [try element.read(cursor)] }
                return try list.read(cursor)
            },
            write: list.write
        )
    }

    /// A mapping whose keys the user chooses, in the order of the file; `names` says which keys are taken.
    package static func entries<Element>(
        of element: YAMLType<Element>,
        names: YAMLType<String> = .nonEmptyString
    ) -> YAMLType where Value == [NamedValue<Element>] {
        YAMLType(
            expectations: ["a mapping"],
            keys: element.keys.map { $0.below("[]") },
            read: { cursor throws(YAMLError) in
                guard !cursor.node.isNull else { return [] }
                guard case .mapping(let entries) = cursor.node.kind else { throw cursor.kindMismatch("a mapping") }
                return try cursor.each(entries) { (entry) throws(YAMLError) in
                    // Keys are not filled in, so they are read as they are in the file.
                    let key = YAMLNode(kind: .scalar(entry.key, style: .quoted), line: entry.keyLine, column: 1)
                    var literal = cursor.child(key, at: cursor.path)
                    literal.document.expander = nil
                    _ = try names.read(literal)
                    return NamedValue(name: entry.key, value: try element.read(cursor.child(of: entry)))
                }
            },
            write: { entries in
                .mapping(entries.compactMap { entry in element.write(entry.value).map { .init(entry.name, $0) } })
            }
        )
    }

    /// The same where the order does not matter.
    package static func dictionary<Element>(
        of element: YAMLType<Element>,
        names: YAMLType<String> = .nonEmptyString
    ) -> YAMLType where Value == [String: Element] {
        YAMLType<[NamedValue<Element>]>.entries(of: element, names: names).mapped(
            { Dictionary($0.map { ($0.name, $0.value) }) { first, _ in first } },
            { $0.sorted { $0.key < $1.key }.map { NamedValue(name: $0.key, value: $0.value) } }
        )
    }
}

/// One entry of a mapping whose keys the user chooses, such as a header or a label.
package struct NamedValue<Value> {
    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }
}

extension NamedValue: Equatable where Value: Equatable {}
extension NamedValue: Sendable where Value: Sendable {}

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
