/// How a value is read from a node, and how it is written.
///
/// Used by its static members, which combine: `.list(of: .duration)`, `.keyword("never", or: .duration)`.
package struct YAMLType<Value> {
    /// What an error message lists as accepted, one or more alternatives.
    package let expectations: [String]
    package let read: (YAMLCursor) throws(YAMLError) -> Value
    /// nil where the key is left out.
    package let write: (Value) -> YAMLText?
    /// The keys of the mappings in a value, in the order in which they are declared; a scalar has none.
    package var keys: [YAMLKeyDescription] { describe() }
    // Described only when they are asked for: types of sections are made again with each value that is read or written.
    private let describe: () -> [YAMLKeyDescription]

    package init(
        expectations: [String],
        keys: @autoclosure @escaping () -> [YAMLKeyDescription] = [],
        read: @escaping (YAMLCursor) throws(YAMLError) -> Value,
        write: @escaping (Value) -> YAMLText? = { _ in nil }
    ) {
        self.expectations = expectations
        describe = keys
        self.read = read
        self.write = write
    }

    /// A text that a function accepts, quoted or not; nil is an error with the expectation.
    package static func text(
        _ expectation: String,
        parse: @escaping (String) -> Value?,
        write: @escaping (Value) -> YAMLText
    ) -> YAMLType {
        text(anyOf: [expectation], parse: parse, write: write)
    }

    /// A text that a function accepts, with several alternatives to list.
    package static func text(
        anyOf expectations: [String],
        parse: @escaping (String) -> Value?,
        write: @escaping (Value) -> YAMLText
    ) -> YAMLType {
        YAMLType(
            expectations: expectations,
            read: { cursor throws(YAMLError) in
                let expectation = alternatives(expectations)
                guard let value = parse(try cursor.scalar(expecting: expectation).text) else {
                    throw cursor.mismatch(expectation)
                }
                return value
            },
            write: write
        )
    }

    /// A text without quotes that a function accepts; one that was filled in may have quotes.
    static func plain(
        _ expectations: [String],
        hint: String = "",
        parse: @escaping (String) -> Value?
    ) -> YAMLType {
        YAMLType(
            expectations: expectations,
            read: { cursor throws(YAMLError) in
                let expectation = alternatives(expectations)
                let (text, isText) = try cursor.scalar(expecting: expectation)
                guard let value = parse(text) else {
                    throw cursor.error("expected \(expectation), found \(cursor.node.found)\(hint)")
                }
                guard !isText else {
                    throw cursor.error("expected \(expectation) without quotes, found \(cursor.node.found) in quotes")
                }
                return value
            },
            write: { .plain("\($0)") }
        )
    }

    /// The same values where a test holds; the expectation says which, as in "an absolute path".
    package func checked(_ expectation: String, _ test: @escaping (Value) -> Bool) -> YAMLType {
        YAMLType(
            expectations: [expectation],
            keys: keys,
            read: { cursor throws(YAMLError) in
                let value = try read(cursor)
                guard test(value) else { throw cursor.mismatch(expectation) }
                return value
            },
            write: write
        )
    }

    /// The same text for the values of another type.
    package func mapped<New>(_ make: @escaping (Value) -> New, _ unmake: @escaping (New) -> Value) -> YAMLType<New> {
        YAMLType<New>(
            expectations: expectations,
            keys: keys,
            read: { cursor throws(YAMLError) in make(try read(cursor)) },
            write: { write(unmake($0)) }
        )
    }

    /// The same, without its key where it has this value.
    package func omitted(_ isOmitted: @escaping (Value) -> Bool) -> YAMLType {
        YAMLType(expectations: expectations, keys: keys, read: read, write: { isOmitted($0) ? nil : write($0) })
    }

    /// The same, masked where it is written.
    package var masked: YAMLType {
        YAMLType(expectations: expectations, keys: keys, read: read, write: { _ in .secret })
    }
}

extension YAMLType {
    /// A value whose key may be absent, for which there is no keyword.
    package static func optional<Wrapped>(_ type: YAMLType<Wrapped>) -> YAMLType where Value == Wrapped? {
        YAMLType(
            expectations: type.expectations,
            keys: type.keys,
            read: type.read,
            write: { $0.flatMap(type.write) }
        )
    }

    /// A keyword such as `auto` or `never`, which is nil, or a value.
    package static func keyword<Wrapped>(_ keyword: String, or type: YAMLType<Wrapped>) -> YAMLType
    where Value == Wrapped? {
        none(keyword, expectations: [keyword] + type.expectations, or: type, write: .plain(keyword))
    }

    /// An empty text, which is nil, or a value.
    package static func emptyOr<Wrapped>(_ type: YAMLType<Wrapped>) -> YAMLType where Value == Wrapped? {
        none("", expectations: ["\(alternatives(type.expectations)), or nothing"], or: type, write: .quoted(""))
    }

    private static func none<Wrapped>(
        _ none: String,
        expectations: [String],
        or type: YAMLType<Wrapped>,
        write noneText: YAMLText
    ) -> YAMLType where Value == Wrapped? {
        YAMLType(
            expectations: expectations,
            read: { cursor throws(YAMLError) in
                if try cursor.scalar(expecting: alternatives(expectations)).text == none { return nil }
                do throws(YAMLError) {
                    return try type.read(cursor)
                } catch {
                    // The keyword is expected, too.
                    guard error.message.hasPrefix("expected \(alternatives(type.expectations)), ") else { throw error }
                    throw cursor.mismatch(alternatives(expectations))
                }
            },
            write: { $0.map(type.write) ?? noneText }
        )
    }
}
