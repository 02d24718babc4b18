import Lab
import SpeedTestCore
import Testing

struct WebSocketFuzzTests {
    /// Short frames of every kind, as both sides would send them.
    private static let frames: [[UInt8]] = ([nil, 0x37fa_213d] as [UInt32?]).flatMap { mask in
        let binary = WebSocketFrameHeader(.binary, payloadLength: 300, mask: mask).encoded
        let start = WebSocketFrameHeader(.text, payloadLength: 3, mask: mask, isFinal: false).encoded
        let end = WebSocketFrameHeader(.continuation, payloadLength: 4, mask: mask).encoded
        return [
            WebSocketFrame.text("{\"AppInfo\":{\"ElapsedTime\":1,\"NumBytes\":2}}", mask: mask),
            WebSocketFrame.ping(Array("ping".utf8), mask: mask), WebSocketFrame.close(.normal, "bye", mask: mask),
            binary + [UInt8](repeating: 0x5a, count: 300), start + [1, 2, 3] + end + [4, 5, 6, 7],
        ]
    }

    @Test(.timeLimit(.minutes(1))) func `100,000 changed frames are read or refused`() {
        var random = SplitMix64(state: 0x7773)
        for _ in 0..<100_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes += Self.frames[Int.random(in: 0..<Self.frames.count, using: &random)]
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) { bytes.mutate(using: &random) }
            fuzzWebSocket(bytes.span.bytes)
        }
    }

    @Test func `frames cut at every byte are read or refused`() {
        for frame in Self.frames {
            for length in 0...frame.count { fuzzWebSocket(frame.span.bytes.extracting(0..<length)) }
        }
    }
}

extension [UInt8] {
    /// One change of the sort that finds a missing check: bits, lengths at their limits, cuts, repetitions.
    fileprivate mutating func mutate(using random: inout SplitMix64) {
        guard count >= 2 else { return }
        // Most of what can go wrong stands at the start.
        let offset = Int.random(in: 0..<Swift.min(count - 1, Bool.random(using: &random) ? 14 : count), using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[offset] = .random(in: 0...255, using: &random)
        case 2:
            let values: [UInt8] = [0, 1, 0x7d, 0x7e, 0x7f, 0x80, 0xfd, 0xfe, 0xff]
            self[offset] = values[Int.random(in: 0..<values.count, using: &random)]
        case 3: removeSubrange(offset..<Swift.min(count, offset + Int.random(in: 1...16, using: &random)))
        case 4: replaceSubrange(offset..<offset + 1, with: [0xff, 0xff, 0xff])
        default: insert(contentsOf: self[offset..<count], at: offset)
        }
    }
}
