import Lab
import Storage
import Testing

@Suite struct MigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ migrations: [Migration]) throws -> Database {
        try Database(file: folder.file, migrations: migrations)
    }

    private func close(_ database: Database) async { await database.close() }

    let first = Migration("first", "CREATE TABLE a (x); INSERT INTO a VALUES (1)")
    let second = Migration("second", "ALTER TABLE a ADD COLUMN y DEFAULT 2; UPDATE a SET x = x + 1")

    @Test func `each is applied once and in order`() async throws {
        try await close(open([first]))
        try await close(open([first, second]))
        let database = try open([first, second])
        #expect(
            try await database.read { try $0.rows("SELECT x, y FROM a").map { [$0[0], $0[1]] } } == [
                [.integer(2), .integer(2)]
            ]
        )
        await close(database)
    }

    @Test func `one that fails leaves everything as it was`() async throws {
        try await close(open([first]))
        let broken = Migration("broken", "DELETE FROM a; INSERT INTO missing VALUES (1)")
        let error = #expect(throws: StorageError.self) { try open([first, second, broken]) }
        #expect(error?.operation == .migrate("broken"))
        #expect(error?.message.contains("no such table: missing") == true)
        let database = try open([first])
        #expect(try await database.read { try $0.rows("SELECT * FROM a").map { $0[0] } } == [.integer(1)])
        await close(database)
    }

    @Test func `a file of a newer version is refused and not touched`() async throws {
        try await close(open([first, second]))
        let before = try folder.bytes()
        let error = #expect(throws: StorageError.self) { try open([first]) }
        #expect(
            error?.description
                == "\(folder.file): open: was written by a newer version of this program, which knows the migration second"
        )
        #expect(try folder.bytes() == before)
        #expect(try folder.bytes("test.db.lock").starts(with: "closed".utf8))
        // Nothing keeps the newer version out afterwards.
        try await close(open([first, second]))
    }

    @Test func `a database of another program is refused and not touched`() async throws {
        try await Python.run(
            "import sqlite3,sys; c = sqlite3.connect(sys.argv[1]); c.execute('create table theirs (x)')",
            folder.file
        )
        let before = try folder.bytes()
        let error = #expect(throws: StorageError.self) { try open([first]) }
        #expect(error?.message == "is a database of another program: it holds theirs")
        #expect(try folder.bytes() == before)
    }

    @Test func `two of one name are refused`() throws {
        #expect(throws: StorageError.self) { try open([first, first]) }
        #expect(throws: StorageError.self) { try open([first, Migration("first", "CREATE TABLE b (x)")]) }
    }
}
