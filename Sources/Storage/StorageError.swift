import CSQLite
import Glibc
import Posix

/// What SQLite or the file system refused.
package struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The database; nil: in memory.
    package let file: String?
    /// What was to be done: `open`, `commit`, or a statement.
    package let operation: String
    /// Why it was not.
    package let message: String
    /// SQLite's extended result code; 0 where it was not asked.
    package let code: Int32
    /// The errno behind it; 0 where there is none.
    package let systemCode: Int32

    init(_ file: String?, _ operation: String, _ message: String, code: Int32 = SQLITE_OK, systemCode: Int32 = 0) {
        self.file = file
        self.operation = operation
        self.message = message
        self.code = code
        self.systemCode = systemCode
    }

    init(_ file: String?, _ error: SystemError) {
        self.init(file, error.call, SystemError.message(error.code), systemCode: error.code)
    }

    /// Whether there is no room; what was committed is kept, and writing works again when there is some.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || [ENOSPC, EDQUOT, EFBIG].contains(systemCode)
    }

    /// Whether the file's content is damaged, or no database; the next opening moves it aside.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether another process holds the file.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    package var description: String {
        let number = code == SQLITE_OK ? "" : " (SQLite error \(code))"
        return "\(file ?? "the database in memory"): \(operation): \(message)\(number)"
    }

    /// The same, as a part of something larger.
    func during(_ operation: String) -> StorageError {
        StorageError(file, "\(operation): \(self.operation)", message, code: code, systemCode: systemCode)
    }

    /// Without the details that an extended code has in its upper bytes.
    var primaryCode: Int32 { code & 0xff }
}

extension StorageError {
    /// Another process has it.
    static func busy(_ file: String, _ message: String) -> StorageError {
        StorageError(file, "open", message, code: SQLITE_BUSY)
    }
}

extension Error where Self == StorageError {
    /// For work that comes after `close`.
    static func closed(_ file: String?) -> StorageError { StorageError(file, "run", "the database was closed") }
}
