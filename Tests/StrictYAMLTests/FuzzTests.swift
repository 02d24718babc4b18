import Lab
import StrictYAML
import Testing

@Suite struct FuzzTests {
    static let seed = """
        # a comment
        path: &p
          expensive: auto
          settle: { quiet: 50ms, max: "1h30m" }
          limit: 64MiB
        targets:
          - { name: router, module: icmp }
          - name: "a\\u00e9\\n"
            module: http
            status: [200, 204]
            headers: { A: &h 'x', B: *h, C: |
              block
              text
            }
          - name: >-
              ${NAME:-folded
              text}
        requirements:
          video: 1%
          audio: 0.5
        """

    /// Pieces that mean something to YAML or to a reader.
    static let pieces = [
        "&a ", "*a", "*h", "*p", "<<: ", "!!str ", "|", ">", "- ", "? ", ": ", "{", "}", "[", "]", "\t", "\n", "\r",
        "#",
        "%", "---\n", "...\n", "\"", "'", "\\", "${", "}", "\u{0}", "\u{FEFF}", "\u{2028}", "9999999999999999999", "-1",
        "1e999", "nan", "99999999999w", "999999999999TiB", "é", "👩‍👩‍👧", "~", "null", "\\ud800", "\\x00", "   ",
    ].map { Array($0.utf8) }

    @Test(.timeLimit(.minutes(5))) func `20000 mutated documents are read or refused`() {
        var random = SplitMix64(state: 20_261_121)
        let seed = Array(Self.seed.utf8)
        let type = YAMLType.section(Configuration.init(reading:))
        let expander = Expander(environment: ["NAME": "x"])
        var read = 0
        var refused = 0
        for _ in 0..<20_000 {
            let bytes = Self.mutated(seed, using: &random)
            do throws(YAMLError) {
                _ = try YAML.read(bytes.span, file: "f", as: type, expander: expander)
                read += 1
            } catch {
                refused += 1
                #expect(error.line >= 1 && error.line <= bytes.count + 1 && !error.message.isEmpty)
            }
        }
        // Both outcomes must occur, or the mutations test nothing.
        #expect(read > 500)
        #expect(refused > 5000)
    }

    static func mutated(_ seed: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where start < end: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 3: bytes.removeSubrange(start...)
            default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: start)
            }
        }
        return bytes
    }
}
