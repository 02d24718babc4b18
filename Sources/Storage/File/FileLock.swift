import Glibc
import Posix

/// The file beside a database that the one process holds which writes (flock(2)).
///
/// It is another file because closing any descriptor of the database itself would drop SQLite's own locks on it. The
/// kernel releases it with its process; SQLite's own locks still let others read.
struct FileLock: ~Copyable {
    /// How the database was left by its last process.
    let lastUse: LastUse
    private let descriptor: Descriptor

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: The database's.
    ///   - check: Called before anything is created or changed, where no lock file shows whose the database is.
    /// - Throws: When another process has it, or when the file is no lock file.
    init(of path: String, unmarked check: () throws(StorageError) -> Void) throws(StorageError) {
        let name = "\(path).lock"
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var number = Glibc.open(name, flags)
        let isNew = number < 0 && errno == ENOENT
        if isNew {
            try check()
            number = Glibc.open(name, flags | O_CREAT, 0o600)
        }
        let descriptor: Descriptor
        do throws(SystemError) { descriptor = try Descriptor(owning: number, from: "open \(name)") } catch {
            throw StorageError(path, error)
        }
        let lock = flock(descriptor.number, LOCK_EX | LOCK_NB)
        let code = errno
        let words = Self.words(descriptor.number)
        let mark = words.first.flatMap { LastUse(rawValue: String($0)) }
        guard words.isEmpty || mark != nil else {
            throw StorageError(path, .open, "\(name) is no lock file of this program: nothing was changed")
        }
        guard lock == 0 else {
            guard code == EWOULDBLOCK else { throw StorageError(path, SystemError(call: "flock \(name)", code: code)) }
            throw .busy(path, "is in use by another process\(words.dropFirst().first.map { " (\($0))" } ?? "")")
        }
        if !isNew, words.isEmpty { try check() }
        // Whatever the umask; one of another user stays as it is.
        fchmod(descriptor.number, 0o600)
        // An empty lock file was copied here, or its database was never closed.
        let isOfThisBoot = words.count > 2 && words[2] == Self.boot
        lastUse = mark == .open && !isOfThisBoot ? .unchecked : mark ?? .unchecked
        self.descriptor = descriptor
    }

    // Closing would keep the lock while a program that another thread has just started still shares the descriptor, until
    // its exec.
    deinit { flock(descriptor.number, LOCK_UN) }

    /// Notes how the database is left, should this process end now; on the disk before it returns.
    func note(_ use: LastUse) throws(SystemError) {
        let text = Array("\(use.rawValue) \(getpid()) \(Self.boot)\n".utf8)
        guard pwrite(descriptor.number, text, text.count, 0) == text.count,
            ftruncate(descriptor.number, text.count) == 0,
            fsync(descriptor.number) == 0
        else { throw SystemError(call: "write", code: errno) }
    }

    /// The run of the kernel, of which each has another name; empty where it is not known.
    private static let boot = SmallFile.line("/proc/sys/kernel/random/boot_id") ?? ""

    private static func words(_ descriptor: Int32) -> [Substring] {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        return String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }
}

/// How a database was left, which its lock file keeps as a word.
enum LastUse: String {
    /// Closed in order: opening it needs no check of every page.
    case closed
    /// It is open; or, when no process holds the lock, the last one was killed: what it wrote is in the kernel's cache as a whole.
    case open
    /// It is being checked; or the kernel ended since it was open, and may have lost what it had not written.
    case unchecked
    /// A statement came upon damage.
    case suspect

    /// Whether opening it needs a check of every page.
    var needsCheck: Bool { self == .unchecked || self == .suspect }
}
