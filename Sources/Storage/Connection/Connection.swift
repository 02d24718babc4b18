import CSQLite
import Posix

/// An open connection to SQLite, which one thread uses at a time.
final class Connection {
    /// Programs have a few dozen different statements; a text that is never the same shall not grow this for ever.
    private static let cachedStatements = 128

    let file: String?
    /// Whether a statement came upon damage.
    private(set) var sawCorruption = false
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// Opens what SQLite shall open: a path, `:memory:`, or with SQLITE_OPEN_URI a URI.
    init(_ name: String, file: String?, flags: Int32, busyTimeout: Duration) throws(StorageError) {
        self.file = file
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw StorageError(file, .open, "out of memory", code: code) }
        guard code == SQLITE_OK else {
            defer { sqlite3_close_v2(opened) }
            throw Self.failure(file, .open, opened)
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = min(max(0, seconds), 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
        nhe_sqlite_checkpoint_on_close(handle, 0)
        // Nothing outside the folder of the file is written: the root may be read-only.
        try execute("PRAGMA temp_store = MEMORY", for: .open)
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Whether a transaction is under way; SQLite ends one by itself after some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file cannot be written.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// How many rows the last statement inserted, updated or deleted.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The memory that its copies of pages take.
    var pageBytes: Int {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
        return Int(current)
    }

    /// Runs several statements that take no parameters; errors name the operation, never the statement.
    func execute(_ sql: String, for operation: StorageError.Operation) throws(StorageError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(operation) }
    }

    /// Runs one statement and returns its rows; for `.read` one that writes throws.
    @discardableResult
    func rows(
        _ sql: String,
        _ parameters: [SQLValue] = [],
        for operation: StorageError.Operation
    ) throws(StorageError) -> [SQLRow] {
        var rows: [SQLRow] = []
        try forEachRow(of: sql, parameters, for: operation) { rows.append($0.row) }
        return rows
    }

    /// Runs one statement and passes each of its rows on; for `.read` one that writes throws.
    func forEachRow(
        of sql: String,
        _ parameters: [SQLValue] = [],
        for operation: StorageError.Operation,
        _ body: (SQLCursor) -> Void
    ) throws(StorageError) {
        let statement = try statement(sql, operation)
        guard operation != .read || statement.isReadOnly else {
            throw StorageError(file, operation, "the statement writes, in a transaction that reads")
        }
        guard statement.parameterCount == parameters.count else {
            throw StorageError(
                file,
                operation,
                "the statement takes \(statement.parameterCount) values, not \(parameters.count)"
            )
        }
        defer { statement.reset() }
        for (index, value) in parameters.enumerated() {
            guard statement.bind(value, at: index) == SQLITE_OK else { throw failure(operation) }
        }
        while true {
            switch sqlite3_step(statement.pointer) {
            case SQLITE_ROW: body(SQLCursor(statement: statement))
            case SQLITE_DONE: return
            default: throw failure(operation)
            }
        }
    }

    /// Copies what it can from the log into the file without waiting, and removes the log at the end.
    ///
    /// Without it the end leaves all files as they are, as evidence.
    func checkpoint() {
        // What stays in the log while others read is as durable there.
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        nhe_sqlite_checkpoint_on_close(handle, 1)
    }

    private func statement(
        _ sql: String,
        _ operation: StorageError.Operation
    ) throws(StorageError) -> Statement {
        if let known = statements[sql] { return known }
        let (code, pointer, isWhole) = sql.withCString { text in
            var pointer: OpaquePointer?
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, &rest)
            return (code, pointer, rest.map { String(cString: $0).allSatisfy(\.isWhitespace) } ?? true)
        }
        guard code == SQLITE_OK else { throw failure(operation) }
        guard let pointer else { throw StorageError(file, operation, "the text holds no statement") }
        let statement = Statement(owning: pointer)
        guard isWhole else { throw StorageError(file, operation, "the text holds more than one statement") }
        if statements.count >= Self.cachedStatements { statements = [:] }
        statements[sql] = statement
        return statement
    }

    private func failure(_ operation: StorageError.Operation) -> StorageError {
        let error = Self.failure(file, operation, handle)
        sawCorruption = sawCorruption || error.isCorrupt
        return error
    }

    private static func failure(
        _ file: String?,
        _ operation: StorageError.Operation,
        _ handle: OpaquePointer
    ) -> StorageError {
        let code = sqlite3_extended_errcode(handle)
        // The errno is left over from anything, unless the error is about the file.
        let isAboutFile = [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL].contains(code & 0xff)
        let systemCode = isAboutFile ? sqlite3_system_errno(handle) : 0
        let message = String(cString: sqlite3_errmsg(handle))
        return StorageError(
            file,
            operation,
            systemCode == 0 ? message : "\(message): \(SystemError.message(systemCode))",
            code: code,
            systemCode: systemCode
        )
    }
}
