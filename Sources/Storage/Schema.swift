import CSQLite

/// The migrations that a file has seen, by name.
enum Schema {
    /// Those it has not, in their order; throws for a file that is another program's, or a later version's.
    static func pending(_ migrations: [Migration], in connection: Connection) throws(StorageError) -> [Migration] {
        guard try belongsToThisProgram(connection) else { return migrations }
        let names = try connection.rows("SELECT name FROM schema_migrations ORDER BY rowid", for: .open)
            .compactMap { $0[0].text }
        let applied = Set(names)
        let known = Set(migrations.map(\.name))
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw StorageError(
                connection.file,
                .open,
                "was written by a newer version of this program, which knows the migration \(unknown)"
            )
        }
        return migrations.filter { !applied.contains($0.name) }
    }

    /// Whether it holds tables of this program; false where it holds none at all, and throws for those of another one.
    @discardableResult
    static func belongsToThisProgram(_ connection: Connection) throws(StorageError) -> Bool {
        let tables = try connection.rows("SELECT name FROM sqlite_master", for: .open).compactMap { $0[0].text }
        guard let first = tables.first else { return false }
        guard tables.contains("schema_migrations") else {
            throw StorageError(connection.file, .open, "is a database of another program: it holds \(first)")
        }
        return true
    }

    /// Applies them, all or none.
    static func apply(_ migrations: [Migration], to connection: Connection) throws(StorageError) {
        guard !migrations.isEmpty else { return }
        try connection.rows("BEGIN IMMEDIATE", for: .open)
        do throws(StorageError) {
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY NOT NULL)",
                for: .open
            )
            for migration in migrations {
                let operation = StorageError.Operation.migrate(migration.name)
                try connection.execute(migration.sql, for: operation)
                try connection.rows("INSERT INTO schema_migrations VALUES (?)", [.text(migration.name)], for: operation)
            }
            try connection.rows("COMMIT", for: .open)
        } catch {
            if connection.isInTransaction { _ = try? connection.rows("ROLLBACK", for: .open) }
            throw error
        }
    }
}

/// One step of a schema, applied once to each file and known there by its name.
///
/// What was released is never changed, renamed or taken away: a later wish is a later migration.
package struct Migration: Sendable {
    let name: String
    let sql: String

    /// A migration.
    ///
    /// - Parameters:
    ///   - name: Unlike that of any other.
    ///   - sql: One or more statements; they run in a transaction already.
    package init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}
