package import Posix

/// A question for the public address, and its answer (RFC 8489).
package struct STUNBinding: Sendable, Equatable {
    private static let cookie: [UInt8] = [0x21, 0x12, 0xa4, 0x42]
    private static let headerLength = 20
    private static let (request, success): (UInt16, UInt16) = (0x0001, 0x0101)
    private static let xorMappedAddress: UInt16 = 0x0020

    /// 12 bytes; a forger must guess them.
    private let transaction: [UInt8]

    package init() {
        transaction = (0..<12).map { _ in .random(in: .min ... .max) }
    }

    fileprivate init(transaction: [UInt8]) { self.transaction = transaction }

    /// The request, without attributes.
    package var request: [UInt8] {
        [UInt8(Self.request >> 8), UInt8(truncatingIfNeeded: Self.request), 0, 0] + Self.cookie + transaction
    }

    /// The public address in a datagram; nil unless it is a whole answer to this request.
    package func address(in message: [UInt8]) -> IPAddress? {
        func number(at offset: Int) -> Int? {
            message.count >= offset + 2 ? Int(message[offset]) << 8 | Int(message[offset + 1]) : nil
        }
        guard message.count >= Self.headerLength, number(at: 0) == Int(Self.success),
            number(at: 2) == message.count - Self.headerLength,
            Array(message[4..<Self.headerLength]) == Self.cookie + transaction
        else { return nil }
        var offset = Self.headerLength
        while let type = number(at: offset), let length = number(at: offset + 2) {
            let (start, end) = (offset + 4, offset + 4 + length)
            guard end <= message.count else { return nil }
            if type == Self.xorMappedAddress { return address(of: message[start..<end]) }
            offset = start + (length + 3) / 4 * 4
        }
        return nil
    }

    /// The family, the port and the address: the last two XORed with the cookie and the transaction.
    private func address(of value: ArraySlice<UInt8>) -> IPAddress? {
        let value = Array(value)
        guard value.count == 8 && value[1] == 1 || value.count == 20 && value[1] == 2 else { return nil }
        return IPAddress(bytes: zip(value.dropFirst(4), Self.cookie + transaction).map { $0 ^ $1 })
    }
}

/// Reads bytes as if a server had sent them, for the fuzzer: an address that they do not have, or of another transaction, traps.
///
/// - Returns: whether they are an answer.
package func fuzzSTUN(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20 else {
        precondition(STUNBinding().address(in: bytes) == nil)
        return false
    }
    // Asked with the transaction that the bytes answer, so that a fuzzed one hides nothing.
    let binding = STUNBinding(transaction: Array(bytes[8..<20]))
    guard let address = binding.address(in: bytes) else { return false }
    // The address alone, written as a server does, is the same.
    let value = zip(address.bytes, binding.request[4...]).map { $0 ^ $1 }
    let count = UInt8(value.count)
    let attribute: [UInt8] = [0, 0x20, 0, count + 4, 0, count == 4 ? 1 : 2, 0, 0] + value
    let answer: [UInt8] = [1, 1, 0, count + 8] + binding.request[4...] + attribute
    precondition(binding.address(in: answer) == address)
    var other = Array(bytes[8..<20])
    other[0] ^= 1
    precondition(STUNBinding(transaction: other).address(in: bytes) == nil)
    return true
}
