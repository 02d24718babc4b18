import Lab
import Netlink
import Testing

struct FuzzTests {
    /// Every recorded message on its own, and synthetic ones of kinds that the recording kernel lacks.
    private static func corpus() throws -> [[UInt8]] {
        let recorded = try Fixture.allCases.flatMap { try $0.datagrams() }.flatMap { try Parse.messages($0) }
            .map { Build.message(type: $0.message.type, flags: $0.message.flags, $0.payload) }
        let bond = Build.attribute(1, "bond") + Build.attribute(2, Build.attribute(2, [3, 0, 0, 0]))
        let answer = Build.integer(Int32(-22)) + Build.message(type: 26) + Build.attribute(1, "no")
        return recorded + [
            Build.message(type: 16, Build.link(Build.attribute(3, "bond0"), Build.attribute(18, bond))),
            Build.message(type: 2, flags: 0x200, answer),
        ]
    }

    @Test func `survives every message cut at every byte`() throws {
        for message in try Self.corpus() {
            for length in 0..<message.count {
                // Cut with the length that it had, and with a length that fits.
                fuzzNetlink(message.span.bytes.extracting(0..<length))
                guard length >= 16 else { continue }
                var shorter = Array(message[..<length])
                shorter.replaceSubrange(0..<4, with: Build.integer(UInt32(length)))
                fuzzNetlink(shorter.span.bytes)
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `survives 100,000 changed messages`() throws {
        let corpus = try Self.corpus()
        var random = SplitMix64(state: 0x6e65_746c_696e_6b)
        for _ in 0..<100_000 {
            var message = corpus[Int.random(in: 0..<corpus.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) { message.mutate(using: &random) }
            fuzzNetlink(message.span.bytes)
        }
    }
}

extension [UInt8] {
    /// One change of the sort that finds a missing check: bits, lengths at their limits, cuts, repetitions.
    fileprivate mutating func mutate(using random: inout SplitMix64) {
        guard count >= 4 else { return }
        let offset = Int.random(in: 0..<count - 3, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[offset] = .random(in: 0...255, using: &random)
        case 2:
            // Most fields, and every length, begin at a multiple of four.
            let length = [0, 1, 3, 4, 5, 7, 8, 15, 16, 17, 0x7fff, 0xffff, UInt16(truncatingIfNeeded: count)]
            replaceSubrange(
                offset & ~3..<offset & ~3 + 2,
                with: Build.integer(length[Int.random(in: 0..<length.count, using: &random)])
            )
        case 3:
            let values: [UInt32] = [0, 0x7fff_ffff, 0x8000_0000, .max, UInt32(truncatingIfNeeded: count)]
            replaceSubrange(
                offset & ~3..<offset & ~3 + 4,
                with: Build.integer(values[Int.random(in: 0..<values.count, using: &random)])
            )
        case 4: removeSubrange(offset..<Swift.min(count, offset + Int.random(in: 1...16, using: &random)))
        default: insert(contentsOf: self[offset..<offset + 4], at: offset)
        }
        guard count >= 4, Bool.random(using: &random) else { return }
        // Half of the time the outer length fits again, so that the inner ones are reached.
        replaceSubrange(0..<4, with: Build.integer(UInt32(count)))
    }
}
