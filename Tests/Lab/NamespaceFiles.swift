import Foundation
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

    /// Where ip-netns(8) looks for files of /etc that its programs see instead of the machine's.
    var files: String { "/etc/netns/\(name)" }

    /// What programs started with `prefix` see as /etc/resolv.conf.
    package func setResolver(_ address: String) throws {
        try writeFile("resolv.conf", "nameserver \(address)\n")
    }

    /// Lets programs started with `prefix` trust the authority of a PEM text, and no other.
    package func setCertificateAuthority(_ text: String) throws {
        try writeFile("ssl/certs/ca-certificates.crt", text)
    }

    private func writeFile(_ name: String, _ text: String) throws {
        let file = URL(filePath: "\(files)/\(name)")
        let folder = file.deletingLastPathComponent()
        // Another process may remove the folder of all namespaces while it is still empty.
        try block(until: folder.path) {
            (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
        }
        try Data(text.utf8).write(to: file)
    }
}
