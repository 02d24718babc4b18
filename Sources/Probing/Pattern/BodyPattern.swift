import CPCRE2

/// A regular expression of the configuration (PCRE2), checked when it is read.
///
/// It is matched against bytes as UTF-8; bytes that are not UTF-8 match no character.
package struct BodyPattern: Sendable, Equatable {
    /// The result of a match.
    package enum Outcome: Sendable, Equatable {
        case matched
        case notMatched
        /// Given up at a limit: the pattern needs too much work for the body.
        case exceeded(Limit)
    }

    /// The limit at which a match is given up.
    package enum Limit: String, Sendable, CaseIterable {
        case steps, depth, memory, time
    }

    package let source: String
    private let code: CompiledPattern

    /// Throws the error in the pattern, with its offset.
    package init(_ source: String) throws(BodyPatternError) {
        self.source = source
        code = try CompiledPattern(source)
    }

    /// Whether the pattern occurs in the bytes; false, too, if `match` gives up.
    package func matches(_ bytes: [UInt8]) -> Bool { match(bytes) == .matched }

    /// Matches the pattern, for some milliseconds at most.
    package func match(_ bytes: [UInt8]) -> Outcome { code.match(bytes) }

    package static func == (one: Self, other: Self) -> Bool { one.source == other.source }
}

package struct BodyPatternError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String
}

/// A pattern compiled by PCRE2.
final class CompiledPattern: Sendable {
    // UTF-8 where the bytes are (never an error where they are not), and a callout before each item for the time limit.
    private static let options =
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT
    /// Backtracking points from one place of the body; the time limit holds for all places together.
    private static let matchLimit: UInt32 = 1_000_000
    /// Backtracking points within each other.
    private static let depthLimit: UInt32 = 100_000
    /// In KiB, for the backtracking points.
    private static let heapLimit: UInt32 = 8 * 1024

    // Sendable by proof: compiled code is only read after `init`, and matching does not change it (pcre2api(3)).
    private nonisolated(unsafe) let code: OpaquePointer

    init(_ source: String) throws(BodyPatternError) {
        let pattern = Array(source.utf8)
        var (number, offset) = (Int32(0), 0)
        guard let code = pcre2_compile_8(pattern, pattern.count, Self.options, &number, &offset, nil) else {
            throw BodyPatternError(description: "\(Self.message(number)) at offset \(offset)")
        }
        self.code = code
    }

    deinit { pcre2_code_free_8(code) }

    func match(_ bytes: [UInt8]) -> BodyPattern.Outcome {
        let (context, result) = (pcre2_match_context_create_8(nil), pcre2_match_data_create_8(1, nil))
        defer {
            pcre2_match_context_free_8(context)
            pcre2_match_data_free_8(result)
        }
        pcre2_set_match_limit_8(context, Self.matchLimit)
        pcre2_set_depth_limit_8(context, Self.depthLimit)
        pcre2_set_heap_limit_8(context, Self.heapLimit)
        var budget = PatternBudget()
        // An empty array may have no address, which the library takes for a mistake.
        let subject = bytes.isEmpty ? [0] : bytes
        let status = withUnsafeMutablePointer(to: &budget) { budget in
            pcre2_set_callout_8(context, checkPatternBudget, budget)
            return pcre2_match_8(code, subject, bytes.count, 0, 0, result, context)
        }
        return Self.outcome(status)
    }

    private static func outcome(_ status: Int32) -> BodyPattern.Outcome {
        switch status {
        case 0...: .matched
        case PCRE2_ERROR_NOMATCH: .notMatched
        case PCRE2_ERROR_CALLOUT: .exceeded(.time)
        case PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_NOMEMORY: .exceeded(.memory)
        case PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_RECURSELOOP: .exceeded(.depth)
        default: .exceeded(.steps)
        }
    }

    private static func message(_ number: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(number, &text, text.count)
        return String(decoding: text.prefix(max(0, Int(length))), as: UTF8.self)
    }
}
