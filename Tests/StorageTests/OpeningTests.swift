import CLab
import Foundation
import Lab
import Storage
import Testing

@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func refusal(of path: String) -> StorageError? {
        #expect(throws: StorageError.self) { try Database(file: path, schema: items) }
    }

    @Test(arguments: ["000", "022", "777"])
    func `every file is its owner's alone, whatever the umask`(_ umask: String) async throws {
        let file = folder.file
        // Kept, so that it still runs.
        let writer = try await onThread {
            let writer = try Program(["sh", "-c", "umask \(umask); exec $0 $1", Writer.program, file])
            try #require(writer.readLine() != nil)
            return writer
        }
        #expect(folder.names == ["test.db", "test.db-shm", "test.db-wal", "test.db.lock"])
        for name in folder.names { #expect(try folder.mode(name) == 0o600, "\(name)") }
        writer.end()
    }

    @Test func `the log is written ahead and synchronised in full`() async throws {
        let database = try Database(file: folder.file, schema: items)
        let settings = try await database.write { transaction in
            try ["journal_mode", "synchronous", "foreign_keys"].map { try transaction.rows("PRAGMA \($0)")[0][0] }
        }
        #expect(settings == [.text("wal"), .integer(2), .integer(1)])
        await database.close()
    }

    @Test func `A file in use is recognised under another name, a hard link`() async throws {
        let other = try TemporaryFolder()
        let link = "\(other.path)/other.db"
        let database = try Database(file: folder.file, schema: items)
        try await database.add(1)
        try FileManager.default.linkItem(atPath: folder.file, toPath: link)
        let refusal = Self.refusal(of: link)
        #expect(
            refusal?.description.contains("in use by another process under another name") == true,
            "\(refusal as Any)"
        )
        try await database.add(2)
        await database.close()
        // Free again, under either name.
        let next = try Database(file: link, schema: items)
        #expect(try await next.numbers() == [1, 2])
        await next.close()
    }

    @Test func `what is no file is refused by its name`() {
        #expect(Self.refusal(of: folder.path)?.description == "\(folder.path): open: is a folder, not a file")
        #expect(Self.refusal(of: "/dev/null")?.description == "/dev/null: open: is no regular file")
        #expect(
            Self.refusal(of: "\(folder.path)/none/test.db")?.description.contains("none/test.db: create: No such file")
                == true
        )
        #expect(Self.refusal(of: "")?.description.contains("No such file") == true)
        #expect(Self.refusal(of: "/sys/test.db")?.description.contains("/sys/test.db: create: ") == true)
        #expect(folder.names.isEmpty)
    }

    @Test func `a user without rights is told what is missing`() async throws {
        try await Database.make(folder.file)
        let path = folder.path
        let shut = try TemporaryFolder(mode: 0o777)
        let file = shut.file
        try await Database.make(file)
        let messages = try await onThread {
            try #require(nhe_become_nobody() == 0)
            return ["\(path)/new.db", "\(path)/test.db", file].map {
                Self.refusal(of: $0)?.description ?? ""
            }
        }
        #expect(messages[0].hasPrefix("\(path)/new.db: create: Permission denied"))
        #expect(messages[1].contains("test.db.lock: Permission denied"))
        #expect(messages[2].contains("test.db.lock: Permission denied"))
        withExtendedLifetime(shut) {}
    }

    @Test func `a file that can only be read is refused`() async throws {
        let folder = try TemporaryFolder(mode: 0o777)
        let file = folder.file
        try await Database.make(file)
        try FileManager.default.removeItem(atPath: "\(folder.file).lock")
        try folder.setMode(0o400)
        try #require(chown(file, 65_534, 65_534) == 0)
        let error = try await onThread {
            try #require(nhe_become_nobody() == 0)
            return Self.refusal(of: file)
        }
        #expect(error?.description == "\(folder.file): open: cannot be written by this user")
    }

    @Test func `a second process is told who has the file`() async throws {
        let file = folder.file
        let (id, error) = try await onThread {
            let writer = try Writer.start(file)
            try #require(writer.readLine() != nil)
            return (writer.identifier, Self.refusal(of: file))
        }
        #expect(error?.isBusy == true)
        #expect(error?.message == "is in use by another process (\(id))")
    }

    @Test func `a second opening in one process is refused and does the first no harm`() async throws {
        let database = try Database(file: folder.file, schema: items)
        let link = "\(folder.path)/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file)
        #expect(Self.refusal(of: folder.file)?.isBusy == true)
        #expect(Self.refusal(of: link)?.isBusy == true)
        // Another program still finds SQLite's locks in place.
        let adding: @Sendable (borrowing Transaction) throws -> Void = { try $0.add(1) }
        try await holding(database, first: adding) {
            await #expect(throws: Failure.self) {
                try await Python.run(
                    "import sqlite3,sys; c = sqlite3.connect(sys.argv[1], timeout=0); c.execute('delete from item')",
                    folder.file
                )
            }
        }
        try await database.add(2)
        #expect(try await database.numbers() == [1, 2])
        await database.close()
    }

    @Test func `another program's transaction is an error and over with it`() async throws {
        let file = folder.file
        let database = try Database(file: file, schema: items, busyTimeout: .zero)
        let source = """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute('begin immediate'); print('begun', flush=True)
            sys.stdin.readline(); c.execute('rollback'); print('over', flush=True)
            sys.stdin.readline()
            """
        let other = try Program(["python3", "-c", source, file], input: nil)
        try await onThread { try #require(other.readLine() == "begun") }
        let error = await #expect(throws: StorageError.self) { try await database.add(1) }
        #expect(error?.isBusy == true)
        #expect(error?.isCorrupt == false && error?.isFull == false)
        #expect(try await database.numbers().isEmpty)
        other.send("go on")
        try await onThread { try #require(other.readLine() == "over") }
        try await database.add(1)
        #expect(try await database.numbers() == [1])
        await database.close()
    }

    @Test func `a closed file can be opened again, although a program that was just started shares its descriptors`()
        async throws
    {
        let file = folder.file
        let database = try Database(file: file, schema: items)
        // As between the fork and the exec of a child.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == "\(file).lock"
        }
        let lock = try #require(open.count == 1 ? Int32(open[0]) : nil)
        let shared = fcntl(lock, F_DUPFD_CLOEXEC, 0)
        defer { close(shared) }
        await database.close()
        try await Database(file: file, schema: items).close()
    }

    @Test func `in memory everything works but the keeping`() async throws {
        let database = try Database(file: nil, schema: items)
        try await database.add(1)
        #expect(try await database.numbers() == [1])
        await database.close()
        let error = await #expect(throws: StorageError.self) { try await database.add(2) }
        #expect(error?.description == "the database in memory: write: the database was closed")
    }
}
