/// The statements of one piece of work, on the database's own thread.
package struct Transaction: ~Copyable {
    private let connection: Connection
    private let operation: StorageError.Operation

    init(_ connection: Connection, isReadOnly: Bool) {
        self.connection = connection
        operation = isReadOnly ? .read : .write
    }

    /// Runs one statement; what it returns is thrown away.
    package func run(_ sql: String, _ parameters: [SQLValue] = []) throws(StorageError) {
        try connection.rows(sql, parameters, for: operation)
    }

    /// Runs one statement and returns its rows.
    ///
    /// Its text is kept prepared: values belong into the parameters.
    package func rows(_ sql: String, _ parameters: [SQLValue] = []) throws(StorageError) -> [SQLRow] {
        try connection.rows(sql, parameters, for: operation)
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { connection.changes }
}
