import FoundationEssentials
import Glibc
import Posix

/// The path of a database, held by this process.
final class DatabaseFile {
    /// What SQLite keeps of a database beside the file itself.
    private static let companions = ["", "-wal", "-shm"]

    /// Without symbolic links, so that one file has one lock.
    let path: String
    private var lock: FileLock
    /// Of the file itself, which may have other names (hard links) with lock files of their own.
    private var hold: FileHold
    /// What was under the names of the database, its companions and its lock when it was opened.
    private var opened: [FileIdentity?] = []

    /// Takes the file, and makes it where there is none.
    ///
    /// - Throws: Also for a file of another program, and for one that other users can read or write; it is left as it was,
    ///   with nothing new beside it.
    init(_ path: String) throws(StorageError) {
        try Self.create(path)
        let path = try Self.resolved(path)
        self.path = path
        lock = try FileLock(of: path) { () throws(StorageError) in
            // First of all: nothing is advised about another program's file.
            try Self.requireOwn(path)
            try FilePrivacy.require(path, Self.companions)
        }
        try FilePrivacy.require(path, Self.companions)
        hold = try FileHold(of: path)
    }

    /// How its last process left it.
    var lastUse: LastUse { lock.lastUse }

    /// Notes how it is left, should this process end now.
    func note(_ use: LastUse) throws(StorageError) {
        do throws(SystemError) { try lock.note(use) } catch { throw StorageError("\(path).lock", error) }
    }

    /// Remembers which files are open now, for `isInPlace`.
    func noteIdentities() throws(StorageError) { opened = try identities() }

    /// Whether the names still lead to the files that were open at `noteIdentities`; throws where that cannot be read.
    func isInPlace() throws(StorageError) -> Bool { try identities() == opened }

    private func identities() throws(StorageError) -> [FileIdentity?] {
        try (Self.companions + [".lock"]).map { (suffix) throws(StorageError) in try FileIdentity(path + suffix) }
    }

    /// Puts a copy of the open database, which `copy` makes, under the names that were lost.
    ///
    /// The open database stays usable until this returns, and has no name from then on.
    ///
    /// - Throws: Also when another file has taken the name, or another process the lock; both are left alone.
    func replace(_ copy: (String) throws(StorageError) -> Void) throws(StorageError) {
        try requireName()
        if try FileIdentity("\(path).lock") != opened.last {
            lock = try FileLock(of: path) {}
            // Noted at once: this process must not be kept out by itself when the rest fails.
            opened[opened.count - 1] = try FileIdentity("\(path).lock")
            try note(.open)
        }
        let new = "\(path).new"
        unlink(new)
        try Self.create(new)
        do throws(StorageError) {
            try copy(new)
            let file = try Self.synchronize(new)
            // Both can take seconds.
            try requireName()
            // An old log beside a new database would be taken for the new one's.
            for companion in Self.companions.dropFirst() { unlink(path + companion) }
            guard rename(new, path) == 0 else {
                throw StorageError(path, SystemError(call: "rename \(new)", code: errno))
            }
            // From here on it is done, whatever a power cut may undo.
            try? Self.synchronizeFolder(of: path)
            hold = FileHold(taking: file)
        } catch {
            unlink(new)
            throw error
        }
    }

    /// Throws where another file has taken the name.
    private func requireName() throws(StorageError) {
        guard let other = try FileIdentity(path), other != opened.first else { return }
        throw StorageError(path, .write, "was replaced by another file while in use: restart to use that one")
    }

    /// Gives the file and its companions another name, begins a new one, and returns the other name.
    ///
    /// - Parameters:
    ///   - word: why; of the corrupt ones the newest are kept.
    ///   - now: Since the epoch.
    /// - Returns: `PATH.corrupt-20261121T120000Z`, with a number where there is one already; it has its owner and mode.
    /// - Throws: When the folder does not let it.
    func moveAside(_ word: String, _ now: Duration) throws(StorageError) -> String {
        let plain = "\(path).\(word)-\(Self.stamp(now))"
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
        hold = try FileHold(of: path)
        if word == AsideName.corrupt { removeOldest(but: target) }
        return target
    }

    /// How many corrupt files are kept.
    private static let keptAside = 3

    /// Removes the oldest corrupt files; what cannot be removed stays.
    private func removeOldest(but newest: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let (folder, name) = (path[...slash], path[slash...].dropFirst())
        let found = (try? FileManager.default.contentsOfDirectory(atPath: String(folder))) ?? []
        let aside = found.compactMap { AsideName($0, of: name) }.filter { folder + $0.text != newest }
        for old in aside.sorted().dropLast(Self.keptAside - 1) {
            for companion in Self.companions.reversed() { unlink(folder + old.text + companion) }
        }
    }

    /// The path without symbolic links; throws for what is no file.
    static func resolved(_ path: String) throws(StorageError) -> String {
        guard let real = realpath(path, nil) else { throw StorageError(path, SystemError(call: "open", code: errno)) }
        defer { free(real) }
        var status = stat()
        guard stat(real, &status) == 0 else { throw StorageError(path, SystemError(call: "stat", code: errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return String(cString: real)
        case S_IFDIR: throw StorageError(path, .open, "is a folder, not a file")
        default: throw StorageError(path, .open, "is no regular file")
        }
    }

    /// Makes an empty file for its owner alone, whatever the umask; SQLite gives its companions the same mode.
    static func create(_ path: String) throws(StorageError) {
        let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0, errno == EEXIST { return }
        do throws(SystemError) {
            let file = try Descriptor(owning: number, from: "create")
            fchmod(file.number, 0o600)
            try synchronizeFolder(of: path)
        } catch {
            throw StorageError(path, error)
        }
    }

    /// Opens a file whose content is on the disk then.
    @discardableResult
    static func synchronize(_ path: String) throws(StorageError) -> Descriptor {
        do throws(SystemError) {
            let file = try Descriptor(owning: open(path, O_RDWR | O_CLOEXEC), from: "open \(path)")
            guard fsync(file.number) == 0 else { throw SystemError(call: "fsync \(path)", code: errno) }
            return file
        } catch {
            throw StorageError(path, error)
        }
    }

    /// A name, too, must outlive a power cut.
    static func synchronizeFolder(of path: String) throws(SystemError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = try Descriptor(owning: open(folder, O_RDONLY | O_CLOEXEC), from: "open \(folder)")
        fsync(directory.number)
    }

    /// Refuses what another program wrote: what does not begin as a database, or holds other tables; empty is ours.
    ///
    /// Changes nothing, and leaves nothing beside it. Never called while SQLite has the file open in this process.
    private static func requireOwn(_ path: String) throws(StorageError) {
        let start: [UInt8]
        do throws(SystemError) { start = try Self.start(of: path) } catch { throw StorageError(path, error) }
        guard !start.isEmpty else { return }
        guard start == Array("SQLite format 3\0".utf8) else {
            throw StorageError(path, .open, "is no database of this program: nothing was changed")
        }
        // One that cannot be read is damaged, which is handled later.
        guard let connection = try? Connection(frozen: path), (try? connection.readSchema()) != nil else { return }
        try Schema.version(of: connection)
    }

    /// The bytes by which SQLite knows its files; fewer where there are fewer.
    private static func start(of path: String) throws(SystemError) -> [UInt8] {
        let file = try Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC), from: "open \(path)")
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file.number, &bytes, bytes.count, 0)
        guard count >= 0 else { throw SystemError(call: "read \(path)", code: errno) }
        return Array(bytes[..<count])
    }

    private static func stamp(_ now: Duration) -> String {
        let date = Date(timeIntervalSince1970: Double(now.components.seconds))
        return date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }
}

/// Which file a name leads to; another one of the same name differs for as long as the first is open somewhere.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// nil where there is no such name; throws where it cannot be read, which says nothing about the file.
    init?(_ path: String) throws(StorageError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return nil }
            throw StorageError(path, SystemError(call: "lstat", code: code))
        }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
