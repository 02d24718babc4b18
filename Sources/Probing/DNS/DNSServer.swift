import Posix

/// The server of a query.
struct DNSServer: Sendable, Equatable, CustomStringConvertible {
    static let defaultPort: UInt16 = 53

    var address: SocketAddress
    /// The device that the socket is bound to; nil: the kernel chooses.
    var device: String?

    var description: String { address.description }
}
