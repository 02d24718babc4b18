import Posix

/// The beginning of a request of ours in an ICMP error: RFC 792 promises eight bytes, which have no token.
struct QuotedEcho: Sendable, Equatable {
    let identifier: UInt16
    let sequence: UInt16

    /// Reads what the error queue of an ICMP socket delivers: the quoted message without its IP header.
    ///
    /// - Throws: what is no quoted echo request.
    init(parsing bytes: RawSpan, family: AddressFamily) throws(EchoError) {
        guard bytes.byteCount >= 8 else { throw .truncated }
        guard bytes.byte(at: 0) == EchoFormat(family).request else { throw .otherType }
        identifier = bytes.bigEndian(UInt16.self, at: 4)
        sequence = bytes.bigEndian(UInt16.self, at: 6)
    }
}
