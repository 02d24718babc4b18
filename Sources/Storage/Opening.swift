import CSQLite
import Glibc
import Posix

/// How a database's file is opened for writing: which one, with which tables.
struct Opening: Sendable {
    let path: String
    let schema: Schema
    let busyTimeout: Duration

    /// Opens the file and brings its tables up to date; a corrupt one, and one of an earlier version that no migration leads on from, is moved
    /// aside, with everything that belongs to it.
    func open(_ onEvent: (StorageEvent) -> Void) throws(StorageError) -> (Connection, DatabaseFile) {
        let file = try DatabaseFile(path)
        let lastUse = file.lastUse
        // A check that is cut short is owed again.
        try file.note(lastUse.needsCheck ? lastUse : .open)
        do throws(StorageError) {
            do throws(StorageError) {
                let connection = try prepare(file, lastUse)
                try file.note(.open)
                return (connection, file)
            } catch {
                guard error.isCorrupt || error.isOutdated else { throw error }
                let target = try file.moveAside(error.isCorrupt ? AsideName.corrupt : "earlier", WallClock.now)
                let reason = error.isCorrupt ? "is corrupt (\(error.message))" : error.message
                onEvent(.movedAside(file: path, to: target, reason: reason))
                return (try prepare(file, .closed), file)
            }
        } catch {
            // As it was before.
            try? file.note(lastUse)
            throw error
        }
    }

    /// Opens a file that this process holds, and sees that it can be written.
    func prepare(_ file: DatabaseFile, _ lastUse: LastUse) throws(StorageError) -> Connection {
        let path = file.path
        let connection = try Connection(path, file: path, flags: SQLITE_OPEN_READWRITE, busyTimeout: busyTimeout)
        // Odd pages shall be an error where they are read; views and triggers of the file may call nothing of effect.
        try connection.execute("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF", for: .open)
        try connection.readSchema()
        guard !connection.isReadOnly else { throw StorageError(path, .open, "cannot be written by this user") }
        // 100 MB take 0.25 s when they are in memory, so only where something may have been lost.
        if lastUse.needsCheck { try connection.check(thoroughly: lastUse == .suspect) }
        let steps = try schema.steps(for: connection)
        // A file system without shared memory leaves another journal, which is slower and as durable.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA journal_size_limit = 8388608;
            PRAGMA cache_size = -\(Connection.cachedKilobytes);
            """,
            for: .open
        )
        try schema.take(steps, on: connection)
        try connection.mark()
        try file.noteIdentities()
        return connection
    }

    /// What is stored, while the file cannot be opened for writing; throws where it cannot be read either.
    func frozen() throws(StorageError) -> Connection {
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard isThere || errno == ENOENT else { throw StorageError(path, SystemError(call: "stat", code: errno)) }
        guard isThere, status.st_size > 0 else { return try .inMemory(schema) }
        let connection = try Connection(frozen: try DatabaseFile.resolved(path))
        // The disk may have been full before the first table; what other tables hold cannot be read.
        return try Schema.version(of: connection) == schema.version ? connection : .inMemory(schema)
    }
}

extension Connection {
    /// How much of its file an open database keeps in memory, in kilobytes; all of it is in the kernel's cache too.
    ///
    /// SQLite's default is 2000, which a file that grows takes up in the course of hours. A transaction that changes more
    /// than this writes a part of it twice.
    static var cachedKilobytes: Int { 256 }

    /// A database that ends with this process.
    static func inMemory(_ schema: Schema) throws(StorageError) -> Connection {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
        let connection = try Connection(":memory:", file: nil, flags: flags, busyTimeout: .zero)
        try connection.execute("PRAGMA foreign_keys = ON", for: .open)
        try schema.take(try schema.steps(for: connection), on: connection)
        return connection
    }

    /// A file that no process writes: takes no locks, makes no file beside it, and reads the log of a killed process in memory.
    ///
    /// Its end drops the locks of every other connection of this process to the file: there must be none.
    convenience init(frozen path: String) throws(StorageError) {
        // Without a log there is no other file to read; SQLite would make one.
        let how = access("\(path)-wal", F_OK) == 0 ? "vfs=unix-none" : "immutable=1"
        try self.init(
            "file:\(Self.escaped(path))?\(how)",
            file: path,
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
            busyTimeout: .zero
        )
        // With it the index of the log is in memory (sqlite.org/wal.html).
        try execute(
            """
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA trusted_schema = OFF;
            PRAGMA cache_size = -\(Self.cachedKilobytes);
            """,
            for: .open
        )
    }

    /// A file that another process may be writing.
    static func reading(_ path: String, busyTimeout: Duration) throws(StorageError) -> Connection {
        let file = try DatabaseFile.resolved(path)
        do throws(StorageError) {
            let connection = try Connection(file, file: file, flags: SQLITE_OPEN_READONLY, busyTimeout: busyTimeout)
            try connection.readSchema()
            return connection
        } catch {
            // Reading takes a log and an index beside the file. Where they do not exist and cannot be made, no process writes.
            guard [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.primaryCode), access("\(file)-wal", F_OK) != 0
            else { throw error }
        }
        let connection = try Connection(
            "file:\(escaped(file))?immutable=1",
            file: file,
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
            busyTimeout: busyTimeout
        )
        try connection.readSchema()
        return connection
    }

    /// Finds most of what is wrong with a header, and a file that was cut.
    func readSchema() throws(StorageError) {
        try rows("SELECT count(*) FROM sqlite_master", for: .open)
    }

    /// What each file of this program has as `application_id` ("NHE1").
    static var applicationID: Int64 { 1_313_359_153 }

    /// Writes one page, which shows that the file can be written.
    func mark() throws(StorageError) {
        try execute("PRAGMA application_id = \(Self.applicationID)", for: .write)
    }

    /// Checks every page; thoroughly, every entry of every index too.
    func check(thoroughly: Bool) throws(StorageError) {
        let found = try rows(thoroughly ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)", for: .open)
        guard let first = found.first?[0].text, first != "ok" else { return }
        throw StorageError(file, .open, first, code: SQLITE_CORRUPT)
    }

    /// For a URI.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}
