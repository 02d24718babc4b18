import CSQLite
import Glibc
import Posix

extension Session {
    /// A database that ends with this process.
    static func inMemory(_ migrations: [Migration]) throws(StorageError) -> Session {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
        let connection = try Connection(":memory:", file: nil, flags: flags, busyTimeout: .zero)
        try connection.execute("PRAGMA foreign_keys = ON")
        try Schema.apply(migrations, to: connection)
        return Session(connection)
    }

    /// The database in a file; a corrupt one is moved aside, with everything that belongs to it.
    static func opening(
        _ path: String,
        _ migrations: [Migration],
        busyTimeout: Duration,
        onEvent: @Sendable (StorageEvent) -> Void
    ) throws(StorageError) -> Session {
        let file = try DatabaseFile(path)
        let lastUse = file.lastUse
        // A whole check that is cut short is owed again.
        try file.note(lastUse == .suspect ? .suspect : .open)
        do throws(StorageError) {
            do throws(StorageError) {
                let connection = try prepare(file, lastUse, migrations, busyTimeout)
                try file.note(.open)
                return Session(connection, holding: file)
            } catch {
                guard error.isCorrupt else { throw error }
                let target = try file.moveAside(WallClock.now)
                onEvent(.movedAside(file: path, to: target, reason: error.message))
                return Session(try prepare(file, .closed, migrations, busyTimeout), holding: file)
            }
        } catch {
            // As if nobody had been here.
            try? file.note(lastUse)
            throw error
        }
    }

    /// The database in a file that another process may be writing.
    static func reading(_ path: String, busyTimeout: Duration) throws(StorageError) -> Session {
        let file = try DatabaseFile.resolved(path)
        do throws(StorageError) {
            let connection = try Connection(file, file: file, flags: SQLITE_OPEN_READONLY, busyTimeout: busyTimeout)
            try connection.readSchema()
            return Session(connection, isReadOnly: true)
        } catch {
            // Reading takes a log and an index beside the file. Where they are not and cannot be made, nobody writes.
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
        return Session(connection, isReadOnly: true)
    }

    private static func prepare(
        _ file: DatabaseFile,
        _ lastUse: LastUse,
        _ migrations: [Migration],
        _ busyTimeout: Duration
    ) throws(StorageError) -> Connection {
        let path = file.path
        let connection = try Connection(path, file: path, flags: SQLITE_OPEN_READWRITE, busyTimeout: busyTimeout)
        // Odd pages shall be an error where they are read; views and triggers of the file may call nothing of effect.
        try connection.execute("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
        try connection.readSchema()
        guard !connection.isReadOnly else { throw StorageError(path, "open", "cannot be written by this user") }
        // 100 MB take 0.25 s when they are in memory, so not after each orderly end.
        if lastUse != .closed { try connection.check(thoroughly: lastUse == .suspect) }
        let pending = try Schema.pending(migrations, in: connection)
        // A file system without shared memory leaves another journal, which is slower and as durable.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA journal_size_limit = 8388608;
            """
        )
        try Schema.apply(pending, to: connection)
        return connection
    }

    /// For a URI.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}

extension Connection {
    /// Meets most of what is wrong with a header, and a file that was cut.
    fileprivate func readSchema() throws(StorageError) {
        try rows("SELECT count(*) FROM sqlite_master")
    }

    /// Looks at every page; thoroughly, at every entry of every index too.
    fileprivate func check(thoroughly: Bool) throws(StorageError) {
        let found = try rows(thoroughly ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)")
        guard let first = found.first?[0].text, first != "ok" else { return }
        throw StorageError(file, "check", first, code: SQLITE_CORRUPT)
    }
}
