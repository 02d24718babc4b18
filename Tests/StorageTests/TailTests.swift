import Coordination
import Foundation
import Lab
import Storage
import Testing

/// The few bytes beside a file that the next process finds.
@Suite(.timeLimit(.minutes(3))) struct TailTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var tail: String { "\(folder.file).tail" }

    /// Keeps these bytes, and returns when they were handed over.
    private func leave(_ bytes: [UInt8], by database: Database) async throws {
        let (calls, call) = AsyncStream<Void>.makeStream()
        database.keepTail {
            call.yield()
            return bytes
        }
        _ = await calls.first { true }
        database.keepTail(nil)
        // On the thread that has the bytes.
        _ = try await database.read { try $0.rows("SELECT 1") }
    }

    @Test func `what was left last is found, in order or not`() async throws {
        let database = try Database(file: folder.file, schema: items)
        #expect(database.foundTail.isEmpty)
        try await leave(Array("first\n\n".utf8), by: database)
        try await leave(Array("next\n\n".utf8), by: database)
        // As the kernel has it, which is what outlives a kill.
        #expect(try folder.bytes("test.db.tail").starts(with: "next\n\n".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: tail)[.posixPermissions] as? Int == 0o600)
        await database.close()
        let again = try Database(file: folder.file, schema: items)
        #expect(again.foundTail.starts(with: "next\n\n".utf8))
        await again.close()
    }

    @Test func `a thousand commands later the bytes are made no deeper on the stack`() async throws {
        let database = try Database(file: folder.file, schema: items)
        let (places, place) = AsyncStream<UInt>.makeStream()
        database.keepTail {
            var local: UInt8 = 0
            withUnsafeMutablePointer(to: &local) { _ = place.yield(UInt(bitPattern: $0)) }
            return [local]
        }
        var iterator = places.makeAsyncIterator()
        let first = try #require(await iterator.next())
        for _ in 1...1000 { _ = try await database.read { try $0.rows("SELECT 1") } }
        // Until those that were made meanwhile are passed: the thread has been at rest for a second by then.
        for _ in 1...2 { _ = await iterator.next() }
        let last = try #require(await iterator.next())
        #expect(first == last, "bytes of stack: \(Int(first) - Int(last))")
        await database.close()
    }

    @Test func `in memory nothing is asked for`() async throws {
        let database = try Database(file: nil, schema: items)
        let calls = Locked(0)
        database.keepTail {
            calls.withLock { $0 += 1 }
            return [1]
        }
        for _ in 1...3 { _ = try await database.read { try $0.rows("SELECT 1") } }
        #expect(calls.withLock { $0 } == 0)
        await database.close()
    }

    @Test func `a file that is emptied in use costs neither the process nor what is stored`() async throws {
        let database = try Database(file: folder.file, schema: items)
        try await leave([1, 2], by: database)
        truncate(tail, 0)
        try await leave([3, 4], by: database)
        #expect(try folder.bytes("test.db.tail").isEmpty)
        try await database.add(1)
        try await leave([5, 6], by: database)
        #expect(try folder.bytes("test.db.tail").starts(with: [5, 6]), "again after the next transaction")
        await database.close()
    }

    @Test(arguments: ["link", "folder", "pipe"]) func `what has its name and is no file stays`(kind: String)
        async throws
    {
        let other = "\(folder.path)/other"
        try Data("other".utf8).write(to: URL(fileURLWithPath: other))
        switch kind {
        case "link": symlink(other, tail)
        case "folder": mkdir(tail, 0o700)
        default: mkfifo(tail, 0o600)
        }
        let database = try Database(file: folder.file, schema: items)
        #expect(database.foundTail.isEmpty)
        try await leave([1], by: database)
        try await database.add(1)
        #expect(try folder.bytes("other") == Array("other".utf8))
        await database.close()
    }
}
