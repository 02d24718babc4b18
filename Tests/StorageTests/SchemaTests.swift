import Foundation
import Lab
import Storage
import Testing

@Suite struct SchemaTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let events = Events()

    private func open(_ schema: Schema) throws -> Database {
        try Database(file: folder.file, schema: schema, onEvent: events.add)
    }

    private func close(_ database: Database) async { await database.close() }

    private func rows(_ database: Database) async throws -> [[SQLValue]] {
        try await database.read { try $0.rows("SELECT * FROM a").map { row in (0..<3).map { row[$0] } } }
    }

    private static let toSecond = "ALTER TABLE a ADD COLUMN y DEFAULT 2; UPDATE a SET x = x + 1"
    private static let toThird = "ALTER TABLE a ADD COLUMN z; UPDATE a SET z = x * 10"
    private let first = Schema(version: 1, tables: ["CREATE TABLE a (x); INSERT INTO a VALUES (1)"])
    private let third = Schema(
        version: 3,
        tables: ["CREATE TABLE a (x, y DEFAULT 2, z)"],
        migrations: [1: Self.toSecond, 2: Self.toThird]
    )

    @Test func `a new file has the tables of the schema, and none of its migrations`() async throws {
        let database = try open(third)
        #expect(try await rows(database).isEmpty)
        await close(database)
        let version = try await Python.output(
            "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version').fetchone()[0])",
            folder.file
        )
        #expect(version == "3\n")
    }

    @Test func `each migration is applied once and in order`() async throws {
        try await close(open(first))
        try await close(open(third))
        let database = try open(third)
        #expect(try await rows(database) == [[.integer(2), .integer(2), .integer(20)]])
        await close(database)
        #expect(events.names.isEmpty)
    }

    @Test func `one that fails leaves everything as it was`() async throws {
        try await close(open(first))
        let broken = "DELETE FROM a; INSERT INTO missing VALUES (1)"
        let error = #expect(throws: StorageError.self) {
            try open(Schema(version: 3, tables: [], migrations: [1: Self.toSecond, 2: broken]))
        }
        #expect(error?.description == "\(folder.file): migration of version 2: no such table: missing (SQLite error 1)")
        let database = try open(first)
        #expect(try await rows(database) == [[.integer(1), .null, .null]])
        await close(database)
    }

    @Test func `a file of a newer version is refused and not touched`() async throws {
        try await close(open(third))
        let before = try folder.bytes()
        let error = #expect(throws: StorageError.self) { try open(first) }
        #expect(
            error?.description
                == "\(folder.file): open: was written by a newer version of this program: its tables have version 3, not 1"
        )
        #expect(try folder.bytes() == before)
        #expect(try folder.bytes("test.db.lock").starts(with: "closed".utf8))
        // Nothing keeps the newer version out afterwards.
        try await close(open(third))
    }

    @Test func `a file of an earlier version without a migration is moved aside with its log, and an empty one begun`()
        async throws
    {
        try await Database.make(folder.file)
        try folder.setMode(0o700)
        // Rows that are in the log alone, as a killed process leaves them.
        try folder.write([1, 2, 3], "test.db-wal")
        let before = try folder.bytes()
        let database = try open(Schema(version: 2, tables: ["CREATE TABLE a (x)"]))
        #expect(try await rows(database).isEmpty)
        await close(database)
        let aside = try #require(folder.names.first { $0.contains(".earlier-") && !$0.hasSuffix("-wal") })
        #expect(aside.contains(/^test\.db\.earlier-\d{8}T\d{6}Z$/))
        #expect(try folder.bytes(aside) == before && folder.mode(aside) == 0o700 && folder.mode("test.db") == 0o600)
        #expect(folder.names.contains("\(aside)-wal"))
        #expect(
            events.texts == [
                """
                \(folder.file) was written by an earlier version of this program: its tables have version 1, not 2: \
                moved to \(folder.file(aside)), and begun anew
                """
            ]
        )
    }

    @Test func `files of earlier versions stay, however many there are`() async throws {
        for version in 1...6 { try await close(open(Schema(version: version, tables: ["CREATE TABLE a (x)"]))) }
        #expect(folder.names.count { $0.contains(/\.earlier-\w+Z(-\d)?$/) } == 5)
        #expect(events.names == Array(repeating: "movedAside", count: 5))
    }

    @Test func `a database of another program is refused and not touched`() async throws {
        try await Python.run(
            "import sqlite3,sys; c = sqlite3.connect(sys.argv[1]); c.execute('create table theirs (x)')",
            folder.file
        )
        let before = try folder.bytes()
        let error = #expect(throws: StorageError.self) { try open(first) }
        #expect(error?.message == "is a database of another program: it holds theirs")
        #expect(try folder.bytes() == before)
    }
}
