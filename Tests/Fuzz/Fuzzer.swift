import Lab

/// One entry point for input from outside: what is damaged, and what must hold for each damaged input.
struct Fuzzer: Sendable {
    /// What was found, in words that need no debugger.
    struct Finding: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    let name: String
    /// How many damaged inputs a run reads.
    let rounds: Int
    /// Good inputs.
    let corpus: [[UInt8]]
    /// Byte sequences that mean something to the reader.
    var pieces: [[UInt8]] = []
    /// Whether each input of the corpus is read cut at every byte, too.
    var cuts = true
    /// Whether some damaged inputs must be accepted and some refused; else the damage tests nothing.
    var isJudged = true
    /// Restores an outer length or checksum half of the time, so that the inner checks are reached.
    var repair: @Sendable (inout [UInt8]) -> Void = { _ in }
    /// Reads an input; reports whether it was accepted, and throws where something is wrong.
    let read: @Sendable ([UInt8]) async throws -> Bool

    /// Reads every input and reports how many were accepted.
    ///
    /// - Throws: `Finding`, with the input in hexadecimal digits.
    func run(seed: UInt64, rounds: Int) async throws -> Int {
        var mutator = Mutator(corpus: corpus, pieces: pieces, random: SplitMix64(state: seed))
        var coin = SplitMix64(state: ~seed)
        var accepted = 0
        for input in corpus {
            _ = try await check(input)
            for length in 0..<(cuts ? input.count : 0) { _ = try await check(Array(input[..<length])) }
        }
        for _ in 0..<rounds {
            var input = mutator.next()
            if Bool.random(using: &coin) { repair(&input) }
            if try await check(input) { accepted += 1 }
        }
        guard !isJudged || accepted > rounds / 200 && rounds - accepted > rounds / 200 else {
            throw Finding("\(accepted) of \(rounds) inputs were accepted: the changes are too small or too large")
        }
        return accepted
    }

    private func check(_ input: [UInt8]) async throws -> Bool {
        do {
            return try await read(input)
        } catch {
            throw Finding("\(error), with the input \(Self.hexadecimal(input))")
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
