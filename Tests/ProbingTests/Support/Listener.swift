import Glibc
import Posix

/// A TCP port of the loopback that accepts connections and sends nothing.
final class Listener: Sendable {
    let descriptor: Descriptor
    let port: UInt16

    init(_ family: Int32 = AF_INET) throws {
        descriptor = try Descriptor.openSocket(family: family, type: SocketType.stream, protocol: 0)
        let loopback: [UInt8] = family == AF_INET ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1]
        let address =
            family == AF_INET
            ? SocketAddress(ipv4: loopback, port: 0) : SocketAddress(ipv6: loopback, port: 0, scope: 0)
        let number = descriptor.number
        guard address.withPointer({ bind(number, $0, $1) }) == 0, listen(number, 16) == 0 else {
            throw SystemError(call: "listen", code: errno)
        }
        // The port is at the same place in both families.
        var bound = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
        }
        port = UInt16(bigEndian: bound.sin6_port)
    }

    /// A port without a listener.
    static func closedPort() throws -> UInt16 { try Listener().port }
}
