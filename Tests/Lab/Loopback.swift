import Glibc
import Posix
import Synchronization

/// Ports of 127.0.0.1 and ::1.
package enum Loopback {
    /// Below those that the kernel gives out by itself (net.ipv4.ip_local_port_range).
    private static let ports = 20_000..<32_000
    private static let given = Atomic(0)

    /// Binds and returns the port.
    package static func bind(_ socket: Int32, ipv6: Bool, port: UInt16) throws -> UInt16 {
        guard socket >= 0 else { throw SystemError(call: "socket", code: errno) }
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return try bind(socket, &address, portAt: \.sin6_port)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return try bind(socket, &address, portAt: \.sin_port)
    }

    /// A port without a listener; each call returns a different one.
    ///
    /// The kernel gives it to no socket of another test before a connection to it is refused, or before the server
    /// that it is meant for listens there.
    package static func closedPort(ipv6: Bool = false) throws -> UInt16 {
        // Another process begins elsewhere.
        let start = Int(getpid()) * 100
        for _ in ports {
            let offset = (start + given.wrappingAdd(1, ordering: .relaxed).newValue) % ports.count
            let number = socket(ipv6 ? AF_INET6 : AF_INET, SocketType.stream | O_CLOEXEC, 0)
            defer { close(number) }
            do {
                return try bind(number, ipv6: ipv6, port: UInt16(ports.lowerBound + offset))
            } catch let error as SystemError where error.code == EADDRINUSE {
                continue
            }
        }
        throw SystemError(call: "bind", code: EADDRINUSE)
    }

    private static func bind<Address>(
        _ socket: Int32,
        _ address: inout Address,
        portAt port: KeyPath<Address, in_port_t>
    ) throws -> UInt16 {
        var length = socklen_t(MemoryLayout<Address>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.bind(socket, pointer, length) != 0
                    ? errno : getsockname(socket, pointer, &length) != 0 ? errno : 0
            }
        }
        guard code == 0 else { throw SystemError(call: "bind", code: code) }
        return UInt16(bigEndian: address[keyPath: port])
    }
}
