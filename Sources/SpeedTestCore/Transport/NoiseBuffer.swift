import Coordination

/// Bytes that nothing on the path can compress; not for secrets.
package enum NoiseBuffer {
    /// Its size, which exceeds the window of compressors.
    package static let size = 1 << 20

    private static let kept = Locked<[UInt8]?>(nil)

    /// The bytes that every test sends, on either side; made when they are first asked for.
    package static var shared: [UInt8] {
        kept.withLock { kept in
            if let kept { return kept }
            let bytes = make(seed: .random(in: 0...UInt64.max))
            kept = bytes
            return bytes
        }
    }

    /// Keeps the bytes no longer than those that send them at the moment.
    package static func discard() { kept.withLock { $0 = nil } }

    /// The bytes of a seed (SplitMix64), in a millisecond; the kernel's would take forty.
    package static func make(seed: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var state = seed
            for offset in stride(from: 0, to: size, by: 8) {
                state &+= 0x9e37_79b9_7f4a_7c15
                var word = state
                word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
                word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
                UnsafeMutableRawBufferPointer(buffer).storeBytes(
                    of: word ^ (word >> 31),
                    toByteOffset: offset,
                    as: UInt64.self
                )
            }
            count = size
        }
    }
}
