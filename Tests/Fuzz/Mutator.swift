import Lab

/// Damages inputs at random: bits, lengths at their limits, cuts, repetitions, and pieces that mean something to the reader.
struct Mutator {
    /// Numbers that find a missing bounds check, in every width.
    private static let limits: [UInt64] = [
        0, 1, 3, 4, 5, 7, 8, 15, 16, 17, 0x3f, 0x40, 0x7d, 0x7e, 0x7f, 0x80, 0xbf, 0xc0, 0xff, 0x7fff, 0xffff,
        0x7fff_ffff,
        0x8000_0000, 0xffff_ffff, .max >> 1, 1 << 63, .max - 7, .max,
    ]

    let corpus: [[UInt8]]
    let pieces: [[UInt8]]
    var random: SplitMix64

    /// One input of the corpus with one to four changes.
    mutating func next() -> [UInt8] {
        var bytes = corpus[Int.random(in: 0..<corpus.count, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        // Half of the changes hit the start, where headers are.
        let reach = Bool.random(using: &random) ? min(bytes.count, 16) : bytes.count
        let start = Int.random(in: 0...reach, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...16, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where start < bytes.count: bytes[start] = .random(in: 0...255, using: &random)
        case 2: setNumber(in: &bytes, near: start)
        case 3: bytes.removeSubrange(start..<end)
        case 4: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 5 where Int.random(in: 0..<4, using: &random) == 0: bytes.removeSubrange(start...)
        default:
            let piece = pieces.randomElement(using: &random) ?? [.random(in: 0...255, using: &random)]
            if Bool.random(using: &random) {
                bytes.insert(contentsOf: piece, at: start)
            } else {
                bytes.replaceSubrange(start..<end, with: piece)
            }
        }
    }

    /// Overwrites an aligned number of one to eight bytes, in either byte order.
    private mutating func setNumber(in bytes: inout [UInt8], near offset: Int) {
        let width = 1 << Int.random(in: 0...3, using: &random)
        let start = offset & ~(width - 1)
        guard start + width <= bytes.count else { return }
        let special = Self.limits.randomElement(using: &random) ?? 0
        let value = Bool.random(using: &random) ? special : UInt64(bytes.count)
        let isBigEndian = Bool.random(using: &random)
        for index in 0..<width {
            let shift = 8 * UInt64(isBigEndian ? width - 1 - index : index)
            bytes[start + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }
}
