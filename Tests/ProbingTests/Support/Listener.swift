import Glibc
import Posix

/// A TCP port of the loopback that accepts connections and sends nothing.
final class Listener: Sendable {
    let descriptor: Descriptor
    let port: UInt16

    init(_ family: Int32 = AF_INET) throws {
        descriptor = try Descriptor.openSocket(family: family, type: SocketType.stream, protocol: 0)
        let address = SocketAddress(test: family == AF_INET ? "127.0.0.1" : "::1")
        let number = descriptor.number
        guard address.withPointer({ bind(number, $0, $1) }) == 0, listen(number, 16) == 0 else {
            throw SystemError(call: "listen", code: errno)
        }
        port = try SocketAddress.bound(to: number)?.port ?? 0
    }
}
