import Glibc
import Posix

/// What distinguishes two versions of a file without reading it.
struct FileStamp: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let modified: Time
    private let changed: Time

    private struct Time: Equatable {
        var seconds: Int
        var nanoseconds: Int

        /// Reads the two numbers of the structure, of 64 bits each on a 64-bit Linux.
        ///
        /// Its members belong to one of several C modules: to which depends on the order in which the compiler meets them.
        init(_ time: timespec) {
            (seconds, nanoseconds) = withUnsafeBytes(of: time) {
                ($0.load(as: Int.self), $0.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self))
            }
        }
    }

    /// nil where there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
        (modified, changed) = (Time(status.st_mtim), Time(status.st_ctim))
    }

    /// Whether the file may change once more without a new stamp: the kernel's time has steps of some milliseconds.
    var isRecent: Bool {
        let age = WallClock.now - .seconds(changed.seconds) - .nanoseconds(changed.nanoseconds)
        return age < .milliseconds(100) && age > .milliseconds(-100)
    }
}
