import Foundation
import Glibc
import Posix

/// A TCP port of the loopback that accepts connections and sends nothing.
final class Listener: Sendable {
    let descriptor: Descriptor
    let port: UInt16

    init(_ family: Int32 = AF_INET, port wanted: UInt16 = 0, backlog: Int32 = 16) throws {
        descriptor = try Descriptor.openSocket(family: family, type: SocketType.stream, protocol: 0)
        var address = SocketAddress(test: family == AF_INET ? "127.0.0.1" : "::1")
        address.port = wanted
        let number = descriptor.number
        guard address.withPointer({ bind(number, $0, $1) }) == 0, listen(number, backlog) == 0 else {
            throw SystemError(call: "listen", code: errno)
        }
        port = try SocketAddress.bound(to: number)?.port ?? 0
    }

    /// Whether a connection to it has sent a SYN and waits for an answer (proc_net_tcp(5), state 02).
    var hasUnansweredSYN: Bool {
        let place = "0100007F:" + String(format: "%04X", port)
        return (SmallFile.text("/proc/net/tcp", limit: 1 << 22) ?? "").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2] == place && fields[3] == "02"
        }
    }
}
