import StrictYAML
import Testing

@Suite struct LimitTests {
    @Test(.timeLimit(.minutes(3))) func `refuses a billion laughs`() {
        var lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
        for level in 1...9 {
            lines.append(
                "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ","))]"
            )
        }
        let text = lines.joined(separator: "\n")
        #expect(
            complaint(parsing: text) == "exporter.yml:5: all aliases together expand to more than 10000 values"
        )
    }

    @Test func `counts aliases only`() {
        let many = "[" + Array(repeating: "x", count: 20_000).joined(separator: ",") + "]"
        #expect(complaint(parsing: many) == "accepted")
        var limits = YAMLLimits()
        limits.aliasedNodes = 6
        #expect(complaint(parsing: "[&a [1, 2], *a, *a]", limits: limits) == "accepted")
        #expect(complaint(parsing: "[&a {1: 2}, *a, *a]", limits: limits) == "accepted")
        #expect(complaint(parsing: "[&a [1, 2], *a, *a, &b x, *b]", limits: limits).contains("more than 6 values"))
    }

    @Test(arguments: ["[", "{a: ", "- ", "a:\n"]) func `refuses 20000 levels`(opening: String) {
        var text = ""
        if opening == "a:\n" {
            // Block mappings need an indentation each.
            for level in 0..<1000 {
                text += String(repeating: " ", count: level) + opening
            }
        } else {
            text = String(repeating: opening, count: 20_000)
        }
        #expect(complaint(parsing: text).contains(": nested deeper than 64 levels"))
    }

    @Test func `counts the levels behind an alias`() {
        func lists(_ levels: Int, around inner: String = "") -> String {
            String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
        }
        #expect(complaint(parsing: lists(64)) == "accepted")
        #expect(complaint(parsing: lists(64, around: "x")) == "accepted")
        #expect(complaint(parsing: lists(65)) == "exporter.yml:1: nested deeper than 64 levels")
        #expect(complaint(parsing: "- &a \(lists(32))\n- \(lists(31, around: "*a"))") == "accepted")
        #expect(
            complaint(parsing: "- &a \(lists(32))\n- \(lists(32, around: "*a"))")
                == "exporter.yml:2: nested deeper than 64 levels"
        )
    }

    @Test func `refuses a file that is too large`() {
        let comment = "#" + String(repeating: "x", count: (1 << 20) - 1)
        #expect(complaint(parsing: comment) == "accepted")
        #expect(complaint(parsing: comment + "x") == "exporter.yml:1: larger than 1048576 bytes")
    }
}
