import CLab
import Glibc
package import Posix

/// A resolv.conf for the threads of one resolver, as root; no other thread of the process sees it.
package final class ResolverConfiguration: Sendable {
    private let path: String

    /// - Throws: `SystemError` where the file cannot be written.
    package init(_ text: String) throws {
        var path = Array("/tmp/nhe-resolv-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw SystemError(call: "mkstemp", code: errno) }
        defer { close(file) }
        self.path = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let text = Array(text.utf8)
        guard fchmod(file, 0o644) == 0, write(file, text, text.count) == text.count else {
            throw SystemError(call: "write", code: errno)
        }
    }

    deinit { unlink(path) }

    /// A resolver that asks the servers of this file; without the privilege to mount it finds nothing.
    package func resolver(maxThreads: Int = 32) -> SystemResolver {
        SystemResolver(maxThreads: maxThreads) { [self] host, family in
            guard nhe_replace_file("/etc/resolv.conf", path) == 0 else { return [] }
            return (try? HostLookup.addresses(of: host, family: family)) ?? []
        }
    }
}
