import Posix

extension SocketAddress {
    /// For connect(2) and sendto(2); the port of an ICMP socket is 0.
    init(_ destination: ResolvedAddress, port: UInt16 = 0) {
        switch destination.address.family {
        case .ipv4: self.init(ipv4: destination.address.bytes, port: port)
        case .ipv6: self.init(ipv6: destination.address.bytes, port: port, scope: destination.scope)
        }
    }
}
