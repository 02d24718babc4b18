import CLab
import Glibc
import Posix

/// A name server on loopback that never answers, the only one of the calling thread and of those that it starts.
///
/// For a process of its own, as root: its resolv.conf is replaced.
package final class SilentNameServer: Sendable {
    private let socket: Int32

    /// - Parameter address: on loopback, where no other server listens.
    /// - Throws: `SystemError`, also without the privilege to mount.
    package init(_ address: String) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(53).bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        let isBound = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, 16) == 0 }
        }
        guard isBound else { throw SystemError(call: "bind \(address)", code: errno) }

        var path = Array("/tmp/nhe-resolv-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw SystemError(call: "mkstemp", code: errno) }
        // The mount keeps the file.
        defer {
            close(file)
            unlink(path)
        }
        let text = Array("nameserver \(address)\n".utf8)
        guard fchmod(file, 0o644) == 0, write(file, text, text.count) == text.count,
            nhe_replace_file("/etc/resolv.conf", path) == 0
        else { throw SystemError(call: "replacing /etc/resolv.conf", code: errno) }
    }

    deinit { close(socket) }
}
