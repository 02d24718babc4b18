import Glibc
package import Posix

extension Namespace {
    /// Opens sockets that belong to this namespace, on a thread inside it.
    package var openSocket: SocketOpener {
        { (family, type, number) throws(SystemError) in
            let opened = try? self.inside {
                let number = socket(family, type | SocketType.flags, number)
                return (number: number, code: errno)
            }
            guard let opened, opened.number >= 0 else {
                throw SystemError(call: "socket", code: opened?.code ?? EIO)
            }
            return try Descriptor(owning: opened.number, from: "socket")
        }
    }

    /// Writes to a file of /proc that belongs to this namespace.
    package func write(_ text: String, to path: String) throws {
        try inside {
            let file = try Descriptor(owning: open(path, O_WRONLY | O_CLOEXEC), from: "open \(path)")
            guard Glibc.write(file.number, text, text.utf8.count) == text.utf8.count else {
                throw SystemError(call: "write \(path)", code: errno)
            }
        }
    }
}
