import CSQLite
import Glibc
import Posix

/// Copies of a whole database: a backup while a process writes it, and the first content of another one.
package enum DatabaseCopy {
    private static let busyTimeout = Duration.seconds(5)

    /// Writes what a database holds at this moment to a new file for its owner alone; another process may write the database meanwhile.
    ///
    /// Blocks while it copies. The file is there as a whole or not at all, also after a kill; then `TARGET.new-` with six
    /// further characters may be left.
    ///
    /// - Parameters:
    ///   - source: the path of the database.
    ///   - target: that of the file.
    ///   - emptied: tables of which the copy has no rows.
    /// - Throws: where there is a file of that name, and where the database cannot be read.
    package static func export(_ source: String, to target: String, emptied: [String]) throws(StorageError) {
        guard try FileIdentity(target) == nil else { throw StorageError(target, .write, "exists already") }
        let database = try Connection.reading(source, busyTimeout: busyTimeout)
        guard try Schema.version(of: database) != nil else { throw StorageError(source, .read, "holds no history") }
        let new = try newFile(beside: target)
        do throws(StorageError) {
            try database.rows("VACUUM INTO ?", [.text(new)], for: .write)
            try empty(emptied, of: new)
            try DatabaseFile.synchronize(new)
            // Unlike rename(2) it replaces nothing.
            guard link(new, target) == 0 else {
                throw StorageError(target, SystemError(call: "link", code: errno))
            }
        } catch {
            unlink(new)
            throw error
        }
        unlink(new)
        try? DatabaseFile.synchronizeFolder(of: target)
    }

    private static func empty(_ tables: [String], of path: String) throws(StorageError) {
        let copy = try Connection(path, file: path, flags: SQLITE_OPEN_READWRITE, busyTimeout: busyTimeout)
        // A copy that is not finished is made again: it needs no journal. What is deleted is overwritten with zeros.
        try copy.execute(
            "PRAGMA journal_mode = OFF; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON",
            for: .write
        )
        let present = try copy.rows("SELECT name FROM sqlite_master WHERE type = 'table'", for: .write)
            .compactMap { $0[0].text }
        for table in tables where present.contains(table) {
            try copy.execute("DELETE FROM \"\(table)\"", for: .write)
        }
    }

    /// Makes an empty file that no other process uses, for its owner alone.
    private static func newFile(beside target: String) throws(StorageError) -> String {
        var name = Array("\(target).new-XXXXXX".utf8CString)
        do throws(SystemError) {
            _ = try Descriptor(owning: mkstemp(&name), from: "create a file beside \(target)")
        } catch {
            throw StorageError(target, error)
        }
        return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Makes a file of `export` the content of a database that holds nothing yet, and that no process has open.
    ///
    /// Blocks while it checks and copies. The database has all of it or nothing, also after a kill. The file stays as it is.
    ///
    /// - Parameters:
    ///   - source: the path of the file.
    ///   - target: that of the database, which may be missing or empty.
    ///   - emptied: tables of which the database has no rows, whatever the file has: it may be no export.
    ///   - schema: the tables of the database.
    /// - Throws: for a file that is damaged, of another program, of a later version or of an earlier one that no migration leads on from, and for a database with tables.
    package static func `import`(
        _ source: String,
        to target: String,
        emptied: [String],
        schema: Schema
    ) throws(StorageError) {
        let file = try Connection(frozen: try DatabaseFile.resolved(source))
        guard try Schema.version(of: file) != nil else { throw StorageError(source, .read, "holds no history") }
        _ = try schema.steps(for: file)
        // One could put rows back.
        guard try file.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'", for: .read).isEmpty else {
            throw StorageError(source, .read, "has triggers, which no history has")
        }
        try file.check(thoroughly: true)
        let database = try DatabaseFile(target)
        guard try isEmpty(database.path), try isEmpty("\(database.path)-wal") else {
            throw StorageError(target, .write, "holds a history already: move it away first")
        }
        try database.noteIdentities()
        try database.replace { (new) throws(StorageError) in
            try file.rows("VACUUM INTO ?", [.text(new)], for: .write)
            try empty(emptied, of: new)
        }
        try database.note(.closed)
        // As root it is made for whom the folder belongs to, such as the user of a service.
        guard geteuid() == 0 else { return }
        var folder = stat()
        let slash = database.path.lastIndex(of: "/").map { String(database.path[...$0]) } ?? "."
        guard stat(slash, &folder) == 0 else { return }
        for suffix in ["", ".lock"] { _ = lchown(database.path + suffix, folder.st_uid, folder.st_gid) }
    }

    /// Also where there is none.
    private static func isEmpty(_ path: String) throws(StorageError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StorageError(path, SystemError(call: "stat", code: errno)) }
            return true
        }
        return status.st_size == 0
    }
}
