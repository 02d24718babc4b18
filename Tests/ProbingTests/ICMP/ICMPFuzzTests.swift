import Lab
import Netlink
import Probing
import Testing

struct ICMPFuzzTests {
    /// Replies of both families, one behind an IPv4 header, and control messages with a stamp and an error.
    private static let corpus: [[UInt8]] = {
        let payload: [UInt8] = [0, 0, 0, 0, 0x12, 0x34, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8]
        let header: [UInt8] = [0x46] + [UInt8](repeating: 0, count: 23)
        let stamp = control(level: 1, type: 37, [UInt8](repeating: 1, count: 48))
        let error = control(level: 0, type: 11, [42, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0])
        return [payload, [129] + payload.dropFirst(), [128] + payload.dropFirst(), header + payload, stamp + error]
    }()

    private static func control(level: UInt8, type: UInt8, _ data: [UInt8]) -> [UInt8] {
        [UInt8(16 + data.count), 0, 0, 0, 0, 0, 0, 0, level, 0, 0, 0, type, 0, 0, 0] + data
    }

    @Test func `survives every message cut at every byte`() {
        for message in Self.corpus {
            for length in 0...message.count { fuzzICMP(message.span.bytes.extracting(0..<length)) }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `survives 100,000 changed messages`() {
        var random = SplitMix64(state: 0x6563_686f)
        for _ in 0..<100_000 {
            var message = Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) { message.mutate(using: &random) }
            fuzzICMP(message.span.bytes)
        }
    }
}

extension [UInt8] {
    /// One change of the sort that finds a missing check: bits, lengths at their limits, cuts, repetitions.
    fileprivate mutating func mutate(using random: inout SplitMix64) {
        guard !isEmpty else { return append(.random(in: 0...255, using: &random)) }
        let offset = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[offset] = [0, 1, 7, 15, 16, 17, 0x7f, 0x80, 0xff][Int.random(in: 0..<9, using: &random)]
        case 2:
            // A length of eight bytes at its limits.
            let value = [0, 15, 16, UInt64(count), .max, .max - 7, 1 << 63][Int.random(in: 0..<7, using: &random)]
            let start = offset & ~7
            for index in start..<Swift.min(start + 8, count) {
                self[index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index - start)))
            }
        case 3: removeSubrange(offset..<Swift.min(count, offset + Int.random(in: 1...16, using: &random)))
        default: insert(contentsOf: self[offset...].prefix(8), at: offset)
        }
    }
}
