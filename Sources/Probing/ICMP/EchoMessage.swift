import Posix

/// The fields of an echo request or reply that we set.
struct EchoMessage: Sendable, Equatable {
    /// Bytes of a message without padding: the header and the token.
    static let byteCount = 16

    /// That of the socket; the kernel sets that of a datagram socket.
    var identifier: UInt16
    var sequence: UInt16
    /// Random, so that a reply cannot be forged without seeing the request.
    var token: UInt64
    /// Bytes of the message; those after the token are padding.
    var length = byteCount

    /// The request as it is sent, its padding zeros.
    func request(_ family: AddressFamily) -> [UInt8] {
        let format = EchoFormat(family)
        var bytes: [UInt8] = [format.request, 0, 0, 0]
        withUnsafeBytes(of: identifier.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: sequence.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: token.bigEndian) { bytes += $0 }
        bytes += repeatElement(0, count: max(0, length - Self.byteCount))
        if format.hasOwnChecksum {
            withUnsafeBytes(of: Self.checksum(bytes.span.bytes).bigEndian) { bytes.replaceSubrange(2..<4, with: $0) }
        }
        return bytes
    }

    /// Reads a reply as a socket delivers it.
    ///
    /// - Parameters:
    ///   - bytes: the message.
    ///   - family: selects ICMP or ICMPv6.
    ///   - hasIPHeader: whether an IPv4 header precedes it, as at a raw socket.
    /// - Throws: if it is not a reply to a request of this form.
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
        length = bytes.byteCount - start
    }

    init(identifier: UInt16, sequence: UInt16, token: UInt64, length: Int = byteCount) {
        self.identifier = identifier
        self.sequence = sequence
        self.token = token
        self.length = length
    }

    /// RFC 1071; a last byte without a pair, which is padding, counts as zero.
    static func checksum(_ bytes: RawSpan) -> UInt16 {
        var sum: UInt32 = 0
        for offset in stride(from: 0, to: bytes.byteCount - 1, by: 2) {
            sum &+= UInt32(bytes.bigEndian(UInt16.self, at: offset))
        }
        while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
        return ~UInt16(truncatingIfNeeded: sum)
    }
}

/// The beginning of our request in an ICMP error: RFC 792 guarantees eight bytes, which do not include the token.
struct QuotedEcho: Sendable, Equatable {
    let identifier: UInt16
    let sequence: UInt16

    /// Reads what the error queue of an ICMP socket delivers: the quoted message without its IP header.
    ///
    /// - Throws: if it is not a quoted echo request.
    init(parsing bytes: RawSpan, family: AddressFamily) throws(EchoError) {
        guard bytes.byteCount >= 8 else { throw .truncated }
        guard bytes.byte(at: 0) == EchoFormat(family).request else { throw .otherType }
        identifier = bytes.bigEndian(UInt16.self, at: 4)
        sequence = bytes.bigEndian(UInt16.self, at: 6)
    }
}

/// The numbers in which ICMP (RFC 792) and ICMPv6 (RFC 4443) differ.
struct EchoFormat: Sendable {
    let request: UInt8
    let reply: UInt8
    /// The kernel computes that of ICMPv6, which covers the addresses, too.
    let hasOwnChecksum: Bool

    init(_ family: AddressFamily) {
        switch family {
        case .ipv4: (request, reply, hasOwnChecksum) = (8, 0, true)
        case .ipv6: (request, reply, hasOwnChecksum) = (128, 129, false)
        }
    }
}

/// A message that is not an echo message of the expected form.
enum EchoError: Error, Equatable {
    case truncated, notIPv4, otherType
}

extension RawSpan {
    /// The caller checks the bounds, outside which the standard library traps.
    func byte(at offset: Int) -> UInt8 { unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self) }

    /// An integer in network byte order; the caller checks the bounds.
    func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
        Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// Runs every parser of ICMP over bytes, for the fuzzer: they may throw and must not trap.
///
/// A reply that reads otherwise when it is written again traps.
///
/// - Returns: whether a reply or a quoted request was read.
package func fuzzICMP(_ bytes: RawSpan) -> Bool {
    let notes = ControlMessages(parsing: bytes)
    _ = RouterError(notes, destination: SocketAddress(.unspecified(.ipv4))).map { Refusal($0).meaning }
    if let message = HopMessage(quoted: bytes) {
        precondition(message.bytes.elementsEqual((0..<HopMessage.byteCount).map { bytes.byte(at: $0) }))
    }
    return AddressFamily.allCases.contains { family in
        if let message = try? EchoMessage(reply: bytes, family: family, hasIPHeader: false) {
            var reply = message.request(family)
            reply[0] = EchoFormat(family).reply
            let again = try? EchoMessage(reply: reply.span.bytes, family: family, hasIPHeader: false)
            precondition(again == message)
        }
        let readings = [
            (try? EchoMessage(reply: bytes, family: family, hasIPHeader: false)) != nil,
            (try? EchoMessage(reply: bytes, family: family, hasIPHeader: true)) != nil,
            (try? QuotedEcho(parsing: bytes, family: family)) != nil,
        ]
        return readings.contains(true)
    }
}
