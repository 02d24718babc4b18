import Lab
import Testing

@testable import Probing

struct GraphQLAnswerFuzzTests {
    private static let corpus = [
        #"{"data":{"a":[1,2.5e3,true,null]},"errors":[]}"#,
        #"{"errors":[{"message":"\u00e4\ud83d\ude00"}],"data":null}"#,
        #"[[[{"data":"x"}]]]"#, "\u{feff}{}",
    ].map { Array($0.utf8) }

    @Test(.timeLimit(.minutes(1))) func `survives 100,000 changed answers`() {
        var random = SplitMix64(state: 0x67_7261_7068)
        for _ in 0..<100_000 {
            var body = Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) where !body.isEmpty {
                let offset = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: body[offset] = .random(in: 0...255, using: &random)
                case 1: body.removeSubrange(offset...)
                case 2: body.insert(Array(#"{}[]",:\"#.utf8).randomElement(using: &random) ?? 0, at: offset)
                default: body.append(contentsOf: body[offset...])
                }
            }
            _ = GraphQLAnswer.complaint(about: body)
        }
    }
}
