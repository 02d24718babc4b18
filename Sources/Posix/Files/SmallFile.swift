import Glibc

/// Reads files of a few kilobytes, such as those of procfs, sysfs and /etc.
package enum SmallFile {
    /// The whole content; a file of more than `limit` bytes throws with EFBIG, and what is no regular file with EINVAL.
    ///
    /// It never waits, even where the path leads to a FIFO.
    package static func read(_ path: String, limit: Int = 65_536) throws(SystemError) -> [UInt8] {
        let file = try Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), from: "open \(path)")
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError(call: "stat \(path)", code: errno) }
        // A directory gets the kernel's own error when it is read.
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            throw SystemError(call: "read \(path), which is not a regular file", code: EINVAL)
        }
        // procfs and sysfs report no size, so read until the end.
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(call: "read \(path)", code: errno) }
            guard content.count + count <= limit else {
                throw SystemError(call: "read \(path), which has more than \(limit) bytes", code: EFBIG)
            }
            if count == 0 { return content }
            content += chunk[..<count]
        }
    }

    /// The whole content as text; nil where it cannot be read or is no UTF-8.
    package static func text(_ path: String, limit: Int = 65_536) -> String? {
        (try? read(path, limit: limit)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The text of a file of one line, without its end; nil where it cannot be read or is no UTF-8.
    package static func line(_ path: String) -> String? {
        guard var bytes = try? read(path, limit: 4096) else { return nil }
        while let last = bytes.last, last == 0x0a || last == 0x20 { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// readlink(2).
package enum SymbolicLink {
    /// What a link holds, whether or not anything is there; nil for what is no link, or no UTF-8.
    package static func destination(of path: String) -> String? {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &characters, characters.count)
        guard count > 0 else { return nil }
        return String(validating: characters.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
