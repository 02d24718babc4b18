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
            do throws(YAMLErrors) {
                _ = try YAML.read(bytes.span, file: "f", as: type, expander: expander)
                read += 1
            } catch {
                refused += 1
                #expect((1...YAMLErrors.limit).contains(error.errors.count))
                for error in error.errors {
                    #expect(error.line >= 1 && error.line <= bytes.count + 1 && !error.message.isEmpty)
                }
            }
        }
        // Both outcomes must occur, or the mutations test nothing.
        #expect(read > 500)
        #expect(refused > 5000)
    }

    @Test(.timeLimit(.minutes(5))) func `what parses is the same after printing`() throws {
        var random = SplitMix64(state: 20_261_122)
        let seed = Array(Self.seed.utf8)
        var parsed = 0
        for _ in 0..<20_000 {
            let bytes = Self.mutated(seed, using: &random)
            guard let node = try? YAML.parse(bytes.span, file: "f") else { continue }
            parsed += 1
            let printed = Array(Self.printed(node).utf8)
            let again = try YAML.parse(printed.span, file: "f")
            #expect(Self.printed(again).utf8.elementsEqual(printed))
            #expect(Self.values(again) == Self.values(node), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(parsed > 1000)
    }

    /// Every text with the path to it, whatever its quotes and its place in the file.
    private static func values(_ node: YAMLNode, at path: String = "") -> [String] {
        switch node.kind {
        case .scalar(let text, _): ["\(path)=\(text)"]
        case .sequence(let nodes):
            ["\(path)[\(nodes.count)]"] + nodes.enumerated().flatMap { values($1, at: "\(path)[\($0)]") }
        case .mapping(let entries):
            ["\(path){\(entries.count)}"] + entries.flatMap { values($0.value, at: "\(path).\($0.key)") }
        }
    }

    /// YAML in flow style with every text in double quotes and every character beyond printable ASCII escaped.
    private static func printed(_ node: YAMLNode) -> String {
        func quoted(_ text: String) -> String {
            let scalars = text.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && scalar.value >= 0x20 && !["\"", "\\", "\u{7F}"].contains(scalar)
                guard !isPlain else { return String(scalar) }
                let digits = String(scalar.value, radix: 16)
                return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
            return "\"\(scalars.joined())\""
        }
        switch node.kind {
        case .scalar(let text, _): return quoted(text)
        case .sequence(let nodes): return "[\(nodes.map(printed).joined(separator: ", "))]"
        case .mapping(let entries):
            return "{\(entries.map { "? \(quoted($0.key)) : \(printed($0.value))" }.joined(separator: ", "))}"
        }
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
