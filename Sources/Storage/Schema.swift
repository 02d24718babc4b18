/// The tables of a database as this version of the program has them.
package struct Schema: Sendable {
    /// What a file has as `user_version`: from 1, one more with each change of a table.
    let version: Int
    /// Makes each table, with its indexes, in a new file.
    let tables: [String]
    /// What makes the tables of a version those of the next one; a file of a version that has none is moved aside.
    let migrations: [Int: String]

    /// - Parameters:
    ///   - version: from 1, one more with each change of a table.
    ///   - tables: the statements that make each table, with its indexes, in a new file.
    ///   - migrations: the statements that make the tables of a version those of the next one. What was released is never
    ///     changed or taken away.
    package init(version: Int, tables: [String], migrations: [Int: String] = [:]) {
        (self.version, self.tables, self.migrations) = (version, tables, migrations)
    }
}

extension Schema {
    /// Statements that run in one transaction with those before and after them.
    typealias Step = (operation: StorageError.Operation, sql: String)

    /// The version of a file's tables; nil where it has none, and throws for those of another program.
    @discardableResult
    static func version(of connection: Connection) throws(StorageError) -> Int? {
        let table = try connection.rows("SELECT name FROM sqlite_master LIMIT 1", for: .open).first?[0].text
        guard let table else { return nil }
        guard try connection.rows("PRAGMA application_id", for: .open).first?[0].integer == Connection.applicationID
        else {
            throw StorageError(connection.file, .open, "is a database of another program: it holds \(table)")
        }
        return try connection.rows("PRAGMA user_version", for: .open).first?[0].integer.map { Int($0) }
    }

    /// What makes the tables of a file those of this version.
    ///
    /// - Throws: for a file of another program, of a later version, and of an earlier one that no migration leads on from.
    func steps(for connection: Connection) throws(StorageError) -> [Step] {
        guard let found = try Self.version(of: connection) else { return tables.map { sql -> Step in (.open, sql) } }
        guard found <= version else {
            let message =
                "was written by a newer version of this program: its tables have version \(found), not \(version)"
            throw StorageError(connection.file, .open, message)
        }
        let steps = (max(0, found)..<version).compactMap { version in
            migrations[version].map { sql -> Step in (.migrate(version), sql) }
        }
        guard steps.count == version - found else { throw .outdated(connection.file, found, version) }
        return steps
    }

    /// Takes all steps or none.
    func take(_ steps: [Step], on connection: Connection) throws(StorageError) {
        guard !steps.isEmpty else { return }
        try connection.rows("BEGIN IMMEDIATE", for: .open)
        do throws(StorageError) {
            for step in steps { try connection.execute(step.sql, for: step.operation) }
            try connection.execute("PRAGMA user_version = \(version)", for: .open)
            try connection.mark()
            try connection.rows("COMMIT", for: .open)
        } catch {
            if connection.isInTransaction { _ = try? connection.rows("ROLLBACK", for: .open) }
            throw error
        }
    }
}
