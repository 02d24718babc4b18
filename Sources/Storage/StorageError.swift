import CSQLite
import Glibc
import Posix

/// What SQLite or the file system refused.
package struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was to be done.
    package enum Operation: Equatable, Sendable, CustomStringConvertible {
        /// To open the file and to bring its tables up to date.
        case open
        case read
        case write
        /// A migration, by the version from which it leads on.
        case migrate(Int)
        /// A call of the system, with what it was about.
        case call(String)

        package var description: String {
            switch self {
            case .open: "open"
            case .read: "read"
            case .write: "write"
            case .migrate(let version): "migration of version \(version)"
            case .call(let call): call
            }
        }
    }

    /// The database; nil: in memory.
    package let file: String?
    package let operation: Operation
    /// Why it was not done.
    package private(set) var message: String
    /// SQLite's extended result code; 0 where it was not asked.
    package let code: Int32
    /// The errno behind it; 0 where there is none.
    package let systemCode: Int32

    init(_ file: String?, _ operation: Operation, _ message: String, code: Int32 = SQLITE_OK, systemCode: Int32 = 0) {
        self.file = file
        self.operation = operation
        self.message = message
        self.code = code
        self.systemCode = systemCode
    }

    init(_ file: String?, _ error: SystemError) {
        self.init(file, .call(error.call), SystemError.message(error.code), systemCode: error.code)
    }

    /// Whether there is no room; what was committed is kept, and writing works again when there is some.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || [ENOSPC, EDQUOT, EFBIG].contains(systemCode)
    }

    /// Whether the disk is full, read-only or failing, which can end without a change of the configuration.
    package var mayPass: Bool {
        if isFull { return true }
        return systemCode == 0 ? primaryCode == SQLITE_IOERR : [EROFS, EIO].contains(systemCode)
    }

    /// Whether the file's content is damaged, or no database; the next opening moves it aside.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether another process holds the file.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// Whether it is about the file, and not about one statement: nothing else can be stored either.
    package var isOfFile: Bool {
        mayPass || isCorrupt || isBusy || systemCode != 0
            || [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR].contains(primaryCode)
    }

    package var description: String {
        let number = code == SQLITE_OK ? "" : " (SQLite error \(code))"
        return "\(file ?? "the database in memory"): \(operation): \(message)\(number)"
    }

    /// The same error in other words.
    func saying(_ message: String) -> StorageError {
        var error = self
        error.message = message
        return error
    }

    /// Whether the file has tables of an earlier version that no migration leads on from; the next opening moves it aside.
    private(set) var isOutdated = false

    /// Without the details that an extended code has in its upper bytes.
    var primaryCode: Int32 { code & 0xff }
}

extension StorageError {
    /// Another process has it.
    static func busy(_ file: String, _ message: String) -> StorageError {
        StorageError(file, .open, message, code: SQLITE_BUSY)
    }

    /// Its tables have a version that no migration leads on from.
    static func outdated(_ file: String?, _ found: Int, _ version: Int) -> StorageError {
        var error = StorageError(
            file,
            .open,
            "was written by an earlier version of this program: its tables have version \(found), not \(version)"
        )
        error.isOutdated = true
        return error
    }

    /// For work that finds no room.
    static func overloaded(_ file: String?, _ work: Work) -> StorageError {
        StorageError(file, work.writes ? .write : .read, "too much work is waiting")
    }

    /// For work that comes after `close`.
    static func closed(_ file: String?, _ work: Work) -> StorageError {
        StorageError(file, work.writes ? .write : .read, "the database was closed")
    }
}

/// What an operator should read about a database.
package enum StorageEvent: Sendable, Equatable, CustomStringConvertible {
    /// A file that is corrupt or of an earlier version was kept under another name, and a new one begun.
    case movedAside(file: String, to: String, reason: String)
    /// From now on nothing is stored, until `available`; the file is tried again meanwhile.
    case unavailable(StorageError)
    /// What is written is stored again.
    case available(file: String)
    /// The file had lost its name: it was written anew from the open database, without a loss.
    case rewritten(file: String)

    package var description: String {
        switch self {
        case .movedAside(let file, let to, let reason):
            "\(file) \(reason): moved to \(to), and begun anew"
        case .unavailable(let error): "\(error); nothing is stored until that works again"
        case .available(let file): "\(file) is written again"
        case .rewritten(let file): "\(file) was deleted or moved while in use: written anew, nothing is lost"
        }
    }
}
