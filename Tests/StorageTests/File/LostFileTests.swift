import Foundation
import Glibc
import Lab
import Posix
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(3))) struct LostFileTests {
    let folder: TemporaryFolder
    let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private func open(checkInterval: Duration = .seconds(3600)) throws -> Database {
        try Database(file: folder.file, schema: items, checkInterval: checkInterval, onEvent: events.add)
    }

    private func remove(_ names: String...) throws {
        for name in names { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
    }

    /// What another process finds under the name.
    private func stored() async throws -> [Int64] {
        let reader = try Database.readOnly(file: folder.file)
        let numbers = try await reader.numbers()
        await reader.close()
        return numbers
    }

    @Test(arguments: [
        ["test.db"], ["test.db", "test.db-wal", "test.db-shm"],
        ["test.db", "test.db-wal", "test.db-shm", "test.db.lock"],
        ["test.db-wal"], ["test.db.lock"],
    ]) func `files that are deleted in use are written anew with the next write, and nothing is lost`(
        _ names: [String]
    ) async throws {
        let database = try open()
        try await database.add(1)
        for name in names { try remove(name) }
        try await database.add(2)
        #expect(try await stored() == [1, 2], "the write came after")
        #expect(try await database.numbers() == [1, 2])
        #expect(events.names == ["rewritten"] && database.failure == nil)
        #expect(folder.names == ["test.db", "test.db-shm", "test.db-wal", "test.db.lock"])
        for name in folder.names { #expect(try folder.mode(name) == 0o600, "\(name)") }
        let second = #expect(throws: StorageError.self) { try open() }
        #expect(second?.isBusy == true, "the lock is held as before")
        await database.close()
        let again = try open()
        #expect(try await again.numbers() == [1, 2])
        await again.close()
        #expect(events.names == ["rewritten"])
    }

    @Test func `an idle database notices it too`() async throws {
        let database = try open(checkInterval: .milliseconds(10))
        try await database.add(1)
        // One file: a check between two would write anew what the second call removes.
        try remove("test.db")
        await events.wait(for: "rewritten")
        #expect(try await stored() == [1])
        await database.close()
    }

    @Test func `while the folder is gone nothing is stored, and it is written once it is back`() async throws {
        let database = try open(checkInterval: .milliseconds(10))
        try await database.add(1)
        try FileManager.default.moveItem(atPath: folder.path, toPath: "\(folder.path)-away")
        let error = await #expect(throws: StorageError.self) { try await database.add(2) }
        #expect(error?.description.contains("was deleted or moved while in use, and cannot be written anew") == true)
        #expect(error?.description.contains("No such file") == true)
        #expect(try await database.numbers() == [1])
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        await events.wait(for: "available")
        try await database.add(3)
        #expect(try await stored() == [1, 3])
        #expect(events.names == ["unavailable", "available"])
        await database.close()
        try FileManager.default.removeItem(atPath: "\(folder.path)-away")
    }

    @Test func `a copy that fails is made again later, with the lock that was taken anew`() async throws {
        let database = try open(checkInterval: .milliseconds(10))
        try await database.add(1)
        // Before the files are gone: a check between the two would write them anew.
        let obstacle = "\(folder.path)/test.db.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        try remove("test.db", "test.db.lock")
        for _ in 1...2 {
            let error = await #expect(throws: StorageError.self) { try await database.add(2) }
            #expect(error?.isBusy == false, "\(String(describing: error))")
        }
        try FileManager.default.removeItem(atPath: obstacle)
        await events.wait(for: "available")
        try await database.add(3)
        #expect(try await stored() == [1, 3])
        #expect(events.names == ["unavailable", "available"])
        await database.close()
    }

    @Test func `after a copy that failed, writes fail without another one until the next check`() async throws {
        let database = try open()
        try await database.add(1)
        try remove("test.db")
        let obstacle = "\(folder.path)/test.db.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let first = await #expect(throws: StorageError.self) { try await database.add(2) }
        try FileManager.default.removeItem(atPath: obstacle)
        let second = await #expect(throws: StorageError.self) { try await database.add(3) }
        #expect(first == second && first != nil)
        #expect(!folder.names.contains("test.db") && events.names == ["unavailable"])
        #expect(try await database.numbers() == [1])
        await database.close()
    }

    @Test func `names that cannot be read are not taken for deleted ones`() async throws {
        let database = try open()
        try await database.add(1)
        let away = "\(folder.path)-away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: away)
        // Every lookup below a link to itself fails with ELOOP, as one on a failing disk does with EIO.
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: folder.path)
        let error = await #expect(throws: StorageError.self) { try await database.add(2) }
        #expect(
            error?.systemCode == ELOOP && error?.message.contains("deleted") == false,
            "\(String(describing: error))"
        )
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: away, toPath: folder.path)
        try await database.add(3)
        #expect(try await stored() == [1, 3])
        #expect(events.names == ["unavailable", "available"])
        await database.close()
    }

    @Test func `a file that took its place is left alone`() async throws {
        let database = try open(checkInterval: .milliseconds(10))
        try await database.add(1)
        // In one step: a check between two would write the file anew.
        try folder.write("precious".utf8, "other")
        try #require(rename(folder.file("other"), folder.file) == 0)
        let error = await #expect(throws: StorageError.self) { try await database.add(2) }
        #expect(error?.message.contains("was replaced by another file while in use") == true)
        #expect(try folder.bytes() == Array("precious".utf8))
        #expect(events.names == ["unavailable"])
        try remove("test.db")
        await events.wait(for: "available")
        try await database.add(3)
        #expect(try await stored() == [1, 3])
        await database.close()
    }

    @Test func `a file that takes its place during the copy is left alone`() throws {
        let file = try DatabaseFile(folder.file)
        try file.noteIdentities()
        try remove("test.db")
        let error = #expect(throws: StorageError.self) {
            try file.replace { (_) throws(StorageError) in _ = try? folder.write("precious".utf8) }
        }
        #expect(error?.message.contains("was replaced by another file while in use") == true)
        #expect(try folder.bytes() == Array("precious".utf8))
        #expect(folder.names == ["test.db", "test.db.lock"])
    }

    @Test func `a process that took the lock meanwhile keeps it`() async throws {
        let database = try open()
        try await database.add(1)
        try remove("test.db", "test.db-wal", "test.db-shm", "test.db.lock")
        let other = try Database(file: folder.file, schema: items)
        try await other.add(7)
        await #expect(throws: StorageError.self) { try await database.add(2) }
        await database.close()
        #expect(try await other.numbers() == [7])
        await other.close()
        #expect(try await stored() == [7])
    }
}
