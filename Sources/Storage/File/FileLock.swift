import Glibc
import Posix

/// The file beside a database that the one process holds which writes (flock(2)).
///
/// It is another file because closing any descriptor of the database itself would drop SQLite's own locks on it. The
/// kernel lets go of it with its process; SQLite's own locks still let others read.
struct FileLock: ~Copyable {
    /// How the database was left by its last process.
    let lastUse: LastUse
    private let descriptor: Descriptor

    /// Takes the lock, or tells who has it; `path` is the database's.
    init(of path: String) throws(StorageError) {
        let name = "\(path).lock"
        let descriptor: Descriptor
        do throws(SystemError) {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            descriptor = try Descriptor(owning: Glibc.open(name, flags, 0o600), from: "open \(name)")
        } catch {
            throw StorageError(path, error)
        }
        // Whatever the umask; an older one of somebody else stays as it is.
        fchmod(descriptor.number, 0o600)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else {
                throw StorageError(path, SystemError(call: "flock \(name)", code: errno))
            }
            let holder = Self.words(descriptor.number).dropFirst().first.map { " (\($0))" } ?? ""
            throw StorageError.busy(path, "is in use by another process\(holder)")
        }
        let word = Self.words(descriptor.number).first ?? ""
        // A file without one was copied here, or never closed.
        lastUse = LastUse(rawValue: String(word)) ?? .open
        self.descriptor = descriptor
    }

    /// Notes how the database is left, should this process end now; on the disk before it returns.
    func note(_ use: LastUse) throws(SystemError) {
        let text = Array("\(use.rawValue) \(getpid())\n".utf8)
        guard pwrite(descriptor.number, text, text.count, 0) == text.count,
            ftruncate(descriptor.number, text.count) == 0,
            fsync(descriptor.number) == 0
        else { throw SystemError(call: "write", code: errno) }
    }

    private static func words(_ descriptor: Int32) -> [Substring] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        return String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }
}
