import Probing
import Testing

struct BodyPatternTests {
    @Test(arguments: [
        ("ok", "it is ok", true), ("ok", "no", false), ("^$", "", true), ("", "", true), ("(?i)OK", "ok", true),
        (#""status":\s*"up""#, #"{"status": "up"}"#, true), ("^b", "a\nb", false), ("(?m)^b", "a\nb", true),
        ("[äö]", "schön", true), ("^.$", "€", true), (#"\C"#, "x", nil),
    ])
    func `matches as a regular expression does`(pattern: String, body: String, expected: Bool?) throws {
        guard let expected else {
            #expect(throws: BodyPatternError.self) { try BodyPattern(pattern) }
            return
        }
        #expect(try BodyPattern(pattern).matches(Array(body.utf8)) == expected)
    }

    @Test(arguments: [
        ("a(b", "offset 3"), ("*a", "offset 0"), ("a[b", "missing terminating ]"), ("(?<n>a)(?<n>b)", "offset"),
    ])
    func `The error of a wrong pattern has a reason and an offset`(pattern: String, message: String) {
        let error = #expect(throws: BodyPatternError.self) { try BodyPattern(pattern) }
        #expect(error?.description.contains(message) == true)
    }

    @Test func `bytes need not be text`() throws {
        let pattern = try BodyPattern("a.?b")
        #expect(pattern.matches([0xff, 0xfe, 0x61, 0x62, 0x80]))
        #expect(pattern.matches([0, 0, 0x61, 0, 0x62]))
        #expect(!pattern.matches([0x61, 0xff, 0x62]))
        #expect(!pattern.matches([]))
    }

    @Test func `Patterns are equal if their sources are`() throws {
        #expect(try BodyPattern("a+") == BodyPattern("a+"))
        #expect(try BodyPattern("a+") != BodyPattern("a*"))
    }

    /// Patterns that take very long on some body, each in its own way; none ends with one byte that the library could look for first.
    @Test(arguments: [
        // Exponential; quadratic by backtracking; quadratic by places without any; cubic; deep; by recursion.
        ("^(a+)+$", "a", "b"), ("a*?[bc]", "a", ""), ("a*b|a*c", "a", ""), (".*a[^b]*[bd]", "a", ""),
        ("(?:a|aa)+$", "a", "b"), ("^(a|(?1)b)*$", "a", "c"), ("(x+x+)+[yz]", "x", ""),
        ("(?=(a+))(?=(a+)[bc])", "a", ""),
    ])
    func `a hostile body is given up at a limit, so that four times as much of it costs about the same`(
        pattern: String,
        filling: String,
        end: String
    ) throws {
        let code = try BodyPattern(pattern)
        func cost(of count: Int) -> Duration {
            let body = Array((String(repeating: filling, count: count) + end).utf8)
            let costs = (0..<3).map { _ in
                let start = processorTime()
                let outcome = code.match(body)
                let isGivenUp = if case .exceeded = outcome { true } else { false }
                #expect(isGivenUp, "\(outcome)")
                return processorTime() - start
            }
            return costs.min() ?? .zero
        }
        // Without a limit of all places together, the mildest of them would cost sixteen times as much.
        #expect(cost(of: 260_000) < cost(of: 65_000) * 8)
    }

    @Test func `The exceeded limit is reported`() throws {
        let body = Array((String(repeating: "a", count: 65_000) + "b").utf8)
        #expect(try BodyPattern("a*b|a*c").match(Array(body.dropLast())) == .exceeded(.time))
        #expect(try BodyPattern("(*LIMIT_MATCH=100)^(a+)+$").match(body) == .exceeded(.steps))
        #expect(try BodyPattern("(*LIMIT_DEPTH=10)^(?:a|aa)+$").match(body) == .exceeded(.depth))
        #expect(try BodyPattern("(*LIMIT_HEAP=1)^(?:a|(?:aa))+$").match(body) == .exceeded(.memory))
    }

    @Test func `An ordinary pattern matches a whole body within the limits`() throws {
        let body = Array((String(repeating: "x", count: 65_000) + #""status":"ok""#).utf8)
        #expect(try BodyPattern(#"^.*"status":\s*"ok"$"#).matches(body))
        #expect(try BodyPattern(#"x.*"ok""#).matches(body))
        #expect(try BodyPattern(#""status":"ok""#).matches(body))
        #expect(try BodyPattern("needle").match(body) == .notMatched)
    }
}
