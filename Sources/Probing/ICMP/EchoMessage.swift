import Posix

/// An echo request or reply: what of it is ours.
struct EchoMessage: Sendable, Equatable {
    /// Bytes of a message: the header and the token.
    static let byteCount = 16

    /// Of the socket; a datagram socket's is the kernel's business.
    var identifier: UInt16
    var sequence: UInt16
    /// Whoever does not see our requests cannot guess it.
    var token: UInt64

    /// The request as it is sent.
    func request(_ family: AddressFamily) -> [UInt8] {
        let format = EchoFormat(family)
        var bytes: [UInt8] = [format.request, 0, 0, 0]
        withUnsafeBytes(of: identifier.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: sequence.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: token.bigEndian) { bytes += $0 }
        if format.hasOwnChecksum {
            withUnsafeBytes(of: Self.checksum(bytes.span.bytes).bigEndian) { bytes.replaceSubrange(2..<4, with: $0) }
        }
        return bytes
    }

    /// Reads a reply as a socket delivers it.
    ///
    /// - Parameters:
    ///   - bytes: the message.
    ///   - family: whose ICMP it is.
    ///   - hasIPHeader: whether an IPv4 header precedes it, as at a raw socket.
    /// - Throws: what is no reply to a request of this form.
    init(reply bytes: RawSpan, family: AddressFamily, hasIPHeader: Bool) throws(EchoError) {
        var start = 0
        if hasIPHeader {
            guard bytes.byteCount >= 20 else { throw .truncated }
            let first = bytes.byte(at: 0)
            guard first >> 4 == 4, first & 0xf >= 5 else { throw .notIPv4 }
            start = Int(first & 0xf) * 4
        }
        guard bytes.byteCount - start >= Self.byteCount else { throw .truncated }
        guard bytes.byte(at: start) == EchoFormat(family).reply, bytes.byte(at: start + 1) == 0 else {
            throw .otherType
        }
        identifier = bytes.bigEndian(UInt16.self, at: start + 4)
        sequence = bytes.bigEndian(UInt16.self, at: start + 6)
        token = bytes.bigEndian(UInt64.self, at: start + 8)
    }

    init(identifier: UInt16, sequence: UInt16, token: UInt64) {
        self.identifier = identifier
        self.sequence = sequence
        self.token = token
    }

    /// RFC 1071, over an even number of bytes.
    static func checksum(_ bytes: RawSpan) -> UInt16 {
        var sum: UInt32 = 0
        for offset in stride(from: 0, to: bytes.byteCount - 1, by: 2) {
            sum &+= UInt32(bytes.bigEndian(UInt16.self, at: offset))
        }
        while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
        return ~UInt16(truncatingIfNeeded: sum)
    }
}
