import Foundation
import Lab
import Storage
import Testing

/// A path that leads to another program's file by mistake.
@Suite struct ForeignFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func refusal() -> StorageError? {
        #expect(throws: StorageError.self) { try Database(file: folder.file, schema: items) }
    }

    @Test(arguments: ["internet:\n  enabled: false\n", "x", "SQLite format 2\0 and more"])
    func `a file of another kind is refused, with nothing beside it`(_ content: String) throws {
        try folder.write(content.utf8, mode: 0o640)
        #expect(refusal()?.description == "\(folder.file): open: is no database of this program: nothing was changed")
        #expect(folder.names == ["test.db"])
        #expect(try folder.bytes() == Array(content.utf8) && folder.mode("test.db") == 0o640)
    }

    @Test(arguments: ["delete", "wal"])
    func `another program's database is refused, with nothing beside it`(_ journal: String) async throws {
        try await Python.run(
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute('pragma journal_mode=' + sys.argv[2]); c.execute('create table theirs (x)')
            """,
            folder.file,
            journal
        )
        let before = try folder.bytes()
        #expect(refusal()?.message == "is a database of another program: it holds theirs")
        #expect(try folder.bytes() == before)
        #expect(folder.names == ["test.db"])
    }

    @Test func `a lock file of another program is left alone`() throws {
        try folder.write("{ \"name\": \"theirs\" }".utf8, "test.db.lock", mode: 0o644)
        #expect(refusal()?.message.contains("is no lock file of this program") == true)
        #expect(try folder.bytes("test.db.lock") == Array("{ \"name\": \"theirs\" }".utf8))
        #expect(try folder.mode("test.db.lock") != 0o600)
    }

    @Test(arguments: [nil, "", "open 1\n"] as [String?])
    func `an empty file is taken, whatever lock is beside it`(_ lock: String?) async throws {
        try folder.write([])
        if let lock { try folder.write(lock.utf8, "test.db.lock") }
        let database = try Database(file: folder.file, schema: items)
        try await database.add(1)
        await database.close()
        #expect(folder.names == ["test.db", "test.db.lock"])
    }

    @Test func `an empty lock file proves nothing`() throws {
        try folder.write("precious".utf8)
        try folder.write([], "test.db.lock")
        #expect(refusal()?.message.contains("is no database of this program") == true)
        #expect(try folder.bytes() == Array("precious".utf8))
    }
}
