import Glibc
package import Posix

/// A name server on loopback that never answers.
package final class SilentNameServer: Sendable {
    private let socket: Int32
    private let configuration: ResolverConfiguration

    /// - Parameter address: on loopback, where no other server listens.
    /// - Throws: `SystemError`.
    package init(_ address: String) throws {
        configuration = try ResolverConfiguration("nameserver \(address)\n")
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(53).bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        let isBound = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, 16) == 0 }
        }
        guard isBound else { throw SystemError(call: "bind \(address)", code: errno) }
    }

    deinit { close(socket) }

    /// A resolver whose only server this is; as root.
    package func resolver(maxThreads: Int = 32) -> SystemResolver { configuration.resolver(maxThreads: maxThreads) }
}
