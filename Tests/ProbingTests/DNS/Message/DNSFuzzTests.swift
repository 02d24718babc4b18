import Lab
import Probing
import Testing

struct DNSFuzzTests {
    @Test(.timeLimit(.minutes(1))) func `100,000 changed messages are read or refused`() {
        var random = SplitMix64(state: 0x64_6e73)
        for _ in 0..<100_000 {
            var message = Recorded.all[Int.random(in: 0..<Recorded.all.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) { message.mutate(using: &random) }
            fuzzDNS(message.span.bytes)
        }
    }

    @Test func `messages cut at every byte are read or refused`() {
        for message in Recorded.all {
            for length in 0..<message.count { fuzzDNS(message.span.bytes.extracting(0..<length)) }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a message of 64 KiB that is all pointers is no work for seconds`() {
        // A name at the start, then records whose names are chains of pointers as long as is allowed.
        var message = Recorded.bytes("1a2b 8180 0001 ffff ffff ffff 0161 00 0001 0001")
        while message.count < 2000 {
            let target = message.count > 19 ? message.count - 2 : 12
            message += [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
        }
        let record: [UInt8] = [0xc0 | UInt8(268 >> 8), UInt8(268 & 0xff), 0, 99, 0, 1, 0, 0, 0, 0, 0, 0]
        while message.count < 65_000 { message += record }
        fuzzDNS(message.span.bytes)
    }
}

extension [UInt8] {
    /// One change of the sort that finds a missing check: bits, lengths at their limits, pointers, cuts, repetitions.
    fileprivate mutating func mutate(using random: inout SplitMix64) {
        guard count >= 4 else { return }
        let offset = Int.random(in: 0..<count - 3, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[offset] = .random(in: 0...255, using: &random)
        case 2:
            let values: [UInt8] = [0, 1, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff]
            self[offset] = values[Int.random(in: 0..<values.count, using: &random)]
        case 3:
            // A pointer to somewhere.
            let target = Int.random(in: 0..<Swift.min(count + 4, 0x3fff), using: &random)
            self[offset] = 0xc0 | UInt8(target >> 8)
            self[offset + 1] = UInt8(target & 0xff)
        case 4: removeSubrange(offset..<Swift.min(count, offset + Int.random(in: 1...16, using: &random)))
        case 5: replaceSubrange(offset..<offset + 2, with: [0xff, 0xff])
        default: insert(contentsOf: self[offset..<offset + 4], at: offset)
        }
    }
}
