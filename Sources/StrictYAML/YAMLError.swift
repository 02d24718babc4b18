/// An error in a file, with its place.
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

/// The errors found in one or more files: at least one.
package struct YAMLErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The maximum number of errors that are reported at a time.
    package static let limit = 10

    /// In the order of the files, then of the lines.
    package let errors: [YAMLError]
    /// Whether there are more.
    package let isCut: Bool

    package init(_ error: YAMLError) { self.init([error]) }

    /// Takes at least one error; those of each file together.
    package init(_ errors: [YAMLError]) {
        self.errors = Array(errors.prefix(Self.limit))
        isCut = errors.count > Self.limit
    }

    /// One error a line.
    package var description: String {
        (errors.map(\.description) + (isCut ? ["there are more errors"] : [])).joined(separator: "\n")
    }
}
