import FoundationEssentials
import Glibc
import Posix

/// The path of a database, held by this process.
final class DatabaseFile {
    /// What SQLite keeps of a database beside the file itself.
    private static let companions = ["", "-wal", "-shm"]

    /// Without symbolic links, so that one file has one lock.
    let path: String
    private let lock: FileLock

    /// Takes the file, and makes it where there is none.
    init(_ path: String) throws(StorageError) {
        try Self.create(path)
        self.path = try Self.resolved(path)
        lock = try FileLock(of: self.path)
    }

    /// How its last process left it.
    var lastUse: LastUse { lock.lastUse }

    /// Notes how it is left, should this process end now.
    func note(_ use: LastUse) throws(StorageError) {
        do throws(SystemError) { try lock.note(use) } catch { throw StorageError("\(path).lock", error) }
    }

    /// Gives the file and its companions another name, begins a new one, and tells the other name.
    ///
    /// - Parameter now: Since the epoch.
    /// - Returns: `PATH.corrupt-20261121T120000Z`, with a number where there is one already.
    /// - Throws: When the folder does not let it.
    func moveAside(_ now: Duration) throws(StorageError) -> String {
        let plain = "\(path).corrupt-\(Self.stamp(now))"
        var target = plain
        var number = 2
        while Self.companions.contains(where: { access(target + $0, F_OK) == 0 }) {
            target = "\(plain)-\(number)"
            number += 1
        }
        // The log goes first: without its database it does no harm, with a new one it would.
        for companion in Self.companions.reversed() {
            guard rename(path + companion, target + companion) == 0 || errno == ENOENT else {
                throw StorageError(path, SystemError(call: "rename to \(target + companion)", code: errno))
            }
        }
        try Self.create(path)
        return target
    }

    /// The path without symbolic links; throws for what is no file.
    static func resolved(_ path: String) throws(StorageError) -> String {
        guard let real = realpath(path, nil) else { throw StorageError(path, SystemError(call: "open", code: errno)) }
        defer { free(real) }
        var status = stat()
        guard stat(real, &status) == 0 else { throw StorageError(path, SystemError(call: "stat", code: errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return String(cString: real)
        case S_IFDIR: throw StorageError(path, "open", "is a folder, not a file")
        default: throw StorageError(path, "open", "is no regular file")
        }
    }

    /// Makes an empty file for its owner alone, whatever the umask; SQLite gives its companions the same mode.
    private static func create(_ path: String) throws(StorageError) {
        let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0, errno == EEXIST { return }
        do throws(SystemError) {
            let file = try Descriptor(owning: number, from: "create")
            fchmod(file.number, 0o600)
            // The name too must outlive a power cut.
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            let directory = try Descriptor(owning: open(folder, O_RDONLY | O_CLOEXEC), from: "open \(folder)")
            fsync(directory.number)
        } catch {
            throw StorageError(path, error)
        }
    }

    private static func stamp(_ now: Duration) -> String {
        let date = Date(timeIntervalSince1970: Double(now.components.seconds))
        return date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }
}
