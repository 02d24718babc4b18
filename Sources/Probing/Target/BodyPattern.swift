/// A regular expression of the configuration (PCRE2), checked when it is read.
///
/// It is looked for in bytes, taken as UTF-8 where they are; no character matches a byte that is none.
package struct BodyPattern: Sendable, Equatable {
    /// What looking for it came to.
    package enum Outcome: Sendable, Equatable {
        case matched
        case notMatched
        /// It was given up: the body makes the pattern too much work.
        case exceeded(Limit)
    }

    /// What ended a match before its end.
    package enum Limit: String, Sendable, CaseIterable {
        case steps, depth, memory, time
    }

    package let source: String
    private let code: CompiledPattern

    /// Throws what is wrong with the pattern, and where.
    package init(_ source: String) throws(BodyPatternError) {
        self.source = source
        code = try CompiledPattern(source)
    }

    /// Whether the pattern occurs in the bytes; false as well where `match` gives up.
    package func matches(_ bytes: [UInt8]) -> Bool { match(bytes) == .matched }

    /// Looks for the pattern, for some milliseconds at most.
    package func match(_ bytes: [UInt8]) -> Outcome { code.match(bytes) }

    package static func == (one: Self, other: Self) -> Bool { one.source == other.source }
}

package struct BodyPatternError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}
