import CLab
import Foundation
import Lab
import Storage
import Testing

@Suite struct ReadOnlyTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the file can be read while another process writes`() async throws {
        let file = folder.file
        let (printed, found) = try await onThread {
            let writer = try Writer.start(file)
            var printed: [Int64] = []
            for _ in 0..<5 { printed.append(try #require(writer.readLine().flatMap { Int64($0) })) }
            let reader = try Database.readOnly(file: file)
            let found = try waiting {
                try await reader.read { try $0.rows("SELECT value FROM number").compactMap { $0[0].integer } }
            }
            try waiting { await reader.close() }
            // The writer goes on.
            try #require(writer.readLine() != nil)
            return (printed, found)
        }
        #expect(Set(found).isSuperset(of: printed))
    }

    @Test func `what a killed process left can be read before anybody writes again`() async throws {
        let file = folder.file
        try await onThread {
            let writer = try Writer.start(file)
            var printed: Set<Int64> = []
            for _ in 0..<5 { printed.insert(try #require(writer.readLine().flatMap { Int64($0) })) }
            writer.end()
            let reader = try Database.readOnly(file: file)
            #expect(try waiting { try await reader.read(Writer.numbers) }.isSuperset(of: printed))
            try waiting { await reader.close() }
        }
        #expect(try folder.bytes("test.db.lock").starts(with: "open".utf8))
    }

    @Test func `what is committed later is seen later`() async throws {
        let database = try Database(file: folder.file, schema: items)
        try await database.add(1)
        let reader = try Database.readOnly(file: folder.file)
        #expect(try await reader.numbers() == [1])
        try await database.add(2)
        #expect(try await reader.numbers() == [1, 2])
        // The writer's end is not held up, and loses nothing.
        await database.close()
        #expect(try await reader.numbers() == [1, 2])
        await reader.close()
        let again = try Database(file: folder.file, schema: items)
        #expect(try await again.numbers() == [1, 2])
        await again.close()
    }

    @Test func `it writes nothing`() async throws {
        try await Database.make(folder.file)
        let before = try folder.bytes()
        let reader = try Database.readOnly(file: folder.file)
        let error = await #expect(throws: StorageError.self) { try await reader.add(1000) }
        #expect(error?.message == "was opened for reading")
        await #expect(throws: StorageError.self) { try await reader.read { try $0.run("DELETE FROM item") } }
        await reader.close()
        #expect(try folder.bytes() == before)
        #expect(try folder.bytes("test.db.lock").starts(with: "closed".utf8))
    }

    @Test func `a user who may only read can, when nobody writes`() async throws {
        // A name that means something in a URI.
        let file = "\(folder.path)/a%20ö?#.db"
        try await Database.make(file, items: 3)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let numbers = try await onThread {
            try #require(nhe_become_nobody() == 0)
            let reader = try Database.readOnly(file: file)
            return try waiting {
                let numbers = try await reader.numbers()
                await reader.close()
                return numbers
            }
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `what is missing, a folder or no database is refused by its name`() throws {
        try folder.write(Array(repeating: 65, count: 5000))
        let missing = #expect(throws: StorageError.self) { try Database.readOnly(file: "\(folder.path)/none.db") }
        #expect(missing?.description == "\(folder.path)/none.db: open: No such file or directory")
        let directory = #expect(throws: StorageError.self) { try Database.readOnly(file: folder.path) }
        #expect(directory?.message == "is a folder, not a file")
        let garbage = #expect(throws: StorageError.self) { try Database.readOnly(file: folder.file) }
        #expect(garbage?.isCorrupt == true)
        #expect(folder.names == ["test.db"])
    }
}
