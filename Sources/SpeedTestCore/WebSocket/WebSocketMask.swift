/// The four bytes that a client's payload is XORed with (RFC 6455 section 5.3).
///
/// Only short frames go through here. Load is random bytes that nobody reads: the sender takes them as already masked,
/// and the receiver counts them.
struct WebSocketMask {
    private let key: UInt32

    /// - Parameter key: the first byte in the highest bits.
    init(_ key: UInt32) { self.key = key }

    /// Masks, or unmasks, `bytes`, the first of which stands at `offset` of its payload.
    func apply(to bytes: inout [UInt8], at offset: UInt64) {
        for index in bytes.indices {
            let position = (offset &+ UInt64(index)) & 3
            bytes[index] ^= UInt8(truncatingIfNeeded: key >> (24 - 8 * UInt32(position)))
        }
    }
}
