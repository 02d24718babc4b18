import Glibc
import Posix

/// The sockets of this process.
enum OwnSockets {
    /// Their inodes, of all that are open at this moment.
    static func inodes(procfs: String = "/proc") throws(SystemError) -> Set<UInt32> {
        let path = "\(procfs)/self/fd"
        guard let directory = opendir(path) else { throw SystemError(call: "opendir \(path)", code: errno) }
        defer { closedir(directory) }
        var inodes: Set<UInt32> = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let link = SymbolicLink.destination(of: "\(path)/\(name)") else { continue }
            if let inode = inode(ofLink: link) { inodes.insert(inode) }
        }
        return inodes
    }

    /// From what such a link holds, `socket:[4711]`; nil for what is no socket.
    static func inode(ofLink link: String) -> UInt32? {
        guard link.hasPrefix("socket:["), link.hasSuffix("]") else { return nil }
        return UInt32(link.dropFirst("socket:[".count).dropLast())
    }
}
