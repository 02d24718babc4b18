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
