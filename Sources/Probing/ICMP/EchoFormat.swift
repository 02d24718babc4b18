import Posix

/// The numbers in which ICMP (RFC 792) and ICMPv6 (RFC 4443) differ.
struct EchoFormat: Sendable {
    let request: UInt8
    let reply: UInt8
    /// The kernel computes ICMPv6's, which covers the addresses too.
    let hasOwnChecksum: Bool

    init(_ family: AddressFamily) {
        switch family {
        case .ipv4: (request, reply, hasOwnChecksum) = (8, 0, true)
        case .ipv6: (request, reply, hasOwnChecksum) = (128, 129, false)
        }
    }
}
