/// Everything that is wrong in some files, as far as it was looked for: at least one error.
package struct YAMLErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// No more are reported at a time.
    package static let limit = 10

    /// In the order of the files, then of the lines.
    package let errors: [YAMLError]
    /// Whether there are others.
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
