/// A value with the place it was read from, for rules that hold between values of a list or of several files.
package struct Placed<Value> {
    package let value: Value
    package let file: String
    /// Counted from 1.
    package let line: Int
    let path: String

    /// An error about this value.
    package func error(_ message: String) -> YAMLError {
        YAMLError(file: file, line: line, path: path, message: message)
    }
}

extension Placed: Sendable where Value: Sendable {}

extension YAMLType {
    /// The same values with their places.
    package var placed: YAMLType<Placed<Value>> {
        YAMLType<Placed<Value>>(expectations: expectations) { cursor throws(YAMLError) in
            Placed(
                value: try read(cursor),
                file: cursor.document.file,
                line: cursor.node.line,
                path: cursor.path
            )
        }
    }
}
