import CSQLite

/// The migrations that a file has seen, by name.
enum Schema {
    /// Those it has not, in their order; throws for a file that is another program's, or a later version's.
    static func pending(_ migrations: [Migration], in connection: Connection) throws(StorageError) -> [Migration] {
        let tables = try connection.rows("SELECT name FROM sqlite_master").compactMap { $0[0].text }
        guard !tables.isEmpty else { return migrations }
        guard tables.contains("schema_migrations") else {
            throw StorageError(connection.file, "open", "is a database of another program: it holds \(tables[0])")
        }
        let names = try connection.rows("SELECT name FROM schema_migrations ORDER BY rowid").compactMap { $0[0].text }
        let applied = Set(names)
        let known = Set(migrations.map(\.name))
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw StorageError(
                connection.file,
                "open",
                "was written by a newer version of this program, which knows the migration \(unknown)"
            )
        }
        return migrations.filter { !applied.contains($0.name) }
    }

    /// Applies them, all or none.
    static func apply(_ migrations: [Migration], to connection: Connection) throws(StorageError) {
        guard !migrations.isEmpty else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StorageError) {
            try connection.execute("CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY NOT NULL)")
            for migration in migrations {
                do throws(StorageError) {
                    try connection.execute(migration.sql)
                    try connection.rows("INSERT INTO schema_migrations VALUES (?)", [.text(migration.name)])
                } catch {
                    throw error.during("migration \(migration.name)")
                }
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}
