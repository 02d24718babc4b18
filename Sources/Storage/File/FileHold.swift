import Glibc
import Posix

/// The lock (flock(2)) on a database's file itself, by its inode: another name of the file leads to the same one.
///
/// Closing it drops SQLite's own locks on the file: it outlives the connection.
struct FileHold: ~Copyable {
    private let descriptor: Descriptor

    /// A file system without such locks has none to respect.
    ///
    /// - Throws: When another process has the file open under another name.
    init(of path: String) throws(StorageError) {
        let descriptor: Descriptor
        do throws(SystemError) {
            descriptor = try Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC), from: "open \(path)")
        } catch {
            throw StorageError(path, error)
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw .busy(path, "is in use by another process under another name (a hard link)")
        }
        self.descriptor = descriptor
    }

    /// A new file, which no other process knows.
    init(taking descriptor: consuming Descriptor) {
        _ = flock(descriptor.number, LOCK_EX | LOCK_NB)
        self.descriptor = descriptor
    }

    // Closing would keep the lock while a program that another thread has just started still shares the descriptor.
    deinit { flock(descriptor.number, LOCK_UN) }
}
