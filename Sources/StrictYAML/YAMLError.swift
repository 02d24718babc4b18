/// What is wrong in a file, and where.
package struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file as the user named it.
    package var file: String
    /// Counted from 1.
    package var line: Int
    /// The keys that lead to the place, `path.settle.quiet` or `targets[2].address`; empty for the document itself.
    package var path: String
    /// What was expected and what was found.
    package var message: String

    package init(file: String, line: Int, path: String = "", message: String) {
        self.file = file
        self.line = line
        self.path = path
        self.message = message
    }

    /// One line, `exporter.yml:7: path.settle.quiet: expected …, found "fast"`.
    package var description: String {
        path.isEmpty ? "\(file):\(line): \(message)" : "\(file):\(line): \(path): \(message)"
    }
}
