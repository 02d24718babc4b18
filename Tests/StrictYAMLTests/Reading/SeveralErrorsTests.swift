import StrictYAML
import Testing

@Suite struct SeveralErrorsTests {
    private static var type: YAMLType<Configuration> { Configuration.type }

    /// The places of all that is wrong, without the messages.
    private func places(_ text: String) -> [String] {
        complaint(text, as: Self.type).split(separator: "\n").map { line in
            line.replacing("exporter.yml:", with: "").split(separator: ": ").prefix(2).joined(separator: ": ")
        }
    }

    @Test func `all values, elements and keys that are wrong are reported, by line`() {
        let text = """
            paht: {}
            path:
              expensive: maybe
              settle:
                quiet: fast
                max: slow
              speed: 1
            targets:
              - { name: a, module: ftp }
              - { name: b }
              - { nam: c }
              - d
            requirements:
              video: 2
              audio: 1%
            """
        let expected = [
            "1: unknown key \"paht\", did you mean \"path\"? (valid keys", "3: path.expensive", "5: path.settle.quiet",
            "6: path.settle.max", "7: path", "9: targets[0].module", "11: targets[2]", "12: targets[3]",
            "14: requirements.video",
        ]
        #expect(places(text) == expected)
    }

    @Test func `a rule between values is not checked where one of them could not be read`() {
        // The default of quiet, 50 ms, is more than this max.
        #expect(places("path: { settle: { quiet: fast, max: 1ms } }") == ["1: path.settle.quiet"])
        #expect(places("path: { settle: { max: 1ms } }") == ["1: path.settle"])
    }

    @Test(arguments: [10, 11, 1000]) func `ten of them are reported`(count: Int) {
        let lines = places("targets:\n" + String(repeating: "- x\n", count: count))
        let expected = (0..<10).map { "\($0 + 2): targets[\($0)]" }
        #expect(lines == expected + (count > 10 ? ["there are more errors"] : []))
    }

    @Test func `a file that cannot be parsed has one`() {
        #expect(places("path: {\ntargets: [x]\n").count == 1)
    }
}
