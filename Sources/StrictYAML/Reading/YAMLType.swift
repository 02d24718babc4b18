/// How a node becomes a value: what to expect, and the reading of it.
///
/// Used by its static members, which combine: `.list(of: .duration)`, `.keyword("never", or: .duration)`.
package struct YAMLType<Value> {
    /// What an error message lists as accepted, one or more alternatives.
    package let expectations: [String]
    package let read: (YAMLCursor) throws(YAMLError) -> Value

    package init(expectations: [String], read: @escaping (YAMLCursor) throws(YAMLError) -> Value) {
        self.expectations = expectations
        self.read = read
    }

    /// A text that a function accepts, quoted or not; nil becomes an error with the expectation.
    package static func text(_ expectation: String, parse: @escaping (String) -> Value?) -> YAMLType {
        text(anyOf: [expectation], parse: parse)
    }

    /// A text that a function accepts, with several alternatives to list.
    package static func text(anyOf expectations: [String], parse: @escaping (String) -> Value?) -> YAMLType {
        YAMLType(expectations: expectations) { cursor throws(YAMLError) in
            let expectation = alternatives(expectations)
            guard let value = parse(try cursor.scalar(expecting: expectation).text) else {
                throw cursor.mismatch(expectation)
            }
            return value
        }
    }

    /// A plain text that a function accepts: a quoted one is no number, unless it was filled in.
    static func plain(_ expectations: [String], hint: String = "", parse: @escaping (String) -> Value?) -> YAMLType {
        YAMLType(expectations: expectations) { cursor throws(YAMLError) in
            let expectation = alternatives(expectations)
            let (text, isText) = try cursor.scalar(expecting: expectation)
            guard let value = parse(text) else {
                throw cursor.error("expected \(expectation), found \(cursor.node.found)\(hint)")
            }
            guard !isText else {
                throw cursor.error("expected \(expectation) without quotes, found \(cursor.node.found) in quotes")
            }
            return value
        }
    }

    /// The same values where a test holds; the expectation says which, as in "an absolute path".
    package func checked(_ expectation: String, _ test: @escaping (Value) -> Bool) -> YAMLType {
        YAMLType(expectations: [expectation]) { cursor throws(YAMLError) in
            let value = try read(cursor)
            guard test(value) else { throw cursor.mismatch(expectation) }
            return value
        }
    }
}
