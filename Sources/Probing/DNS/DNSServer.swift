import Posix

/// Who is asked.
struct DNSServer: Sendable, Equatable, CustomStringConvertible {
    static let defaultPort: UInt16 = 53

    var address: SocketAddress
    /// The only one to ask through; nil: the kernel chooses.
    var device: String?

    var description: String { address.description }
}
