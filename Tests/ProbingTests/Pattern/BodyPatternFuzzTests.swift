import Lab
import Probing
import Testing

struct BodyPatternFuzzTests {
    @Test(.timeLimit(.minutes(1))) func `survives 100,000 bodies of any bytes`() throws {
        let patterns = try [
            #"(?i)"status":\s*"(up|ok)""#, "[äöü]+.€?", #"(\w+)\s\1"#, "(?<=a.)b|^(x(?1)?y)$", #"\bé\B.$"#,
        ]
        .map(BodyPattern.init)
        let parts = ["\"Status\": \"ok\"", "äö", "x\u{20ac}", "é", "ab ab", "xxyy"].map { Array($0.utf8) }
        var random = SplitMix64(state: 0x70_6372_6532)
        for index in 0..<100_000 {
            var body: [UInt8] = []
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                body += parts[Int.random(in: 0..<parts.count, using: &random)]
                body.append(.random(in: 0...255, using: &random))
                if Bool.random(using: &random) { body.removeLast(2) }
            }
            _ = patterns[index % patterns.count].match(body)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `survives 20,000 patterns of any characters`() {
        let alphabet = Array("ab()[]{}*+?|\\^$.<>=!:-,0129Qx#ßP&")
        var random = SplitMix64(state: 0x72_6567_6578)
        let body = Array("ab01 ß<ab>#!".utf8)
        for _ in 0..<20_000 {
            let source = String(
                (0..<Int.random(in: 1...12, using: &random)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }
            )
            guard let pattern = try? BodyPattern(source) else { continue }
            _ = pattern.match(body)
        }
    }
}
