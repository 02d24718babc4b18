import Coordination
import Foundation
import Lab
import Storage
import Testing

@Suite struct CorruptionTests {
    let folder: TemporaryFolder
    let events = Locked<[StorageEvent]>([])

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> Database {
        try Database(file: folder.file, schema: items) { event in events.withLock { $0.append(event) } }
    }

    /// Fills a page in the middle, which holds rows, with what no page can begin with.
    private func damage() throws {
        var bytes = try folder.bytes()
        bytes.replaceSubrange((20 * 4096)..<(21 * 4096), with: [UInt8](repeating: 255, count: 4096))
        try folder.write(bytes)
    }

    private func expectMovedAside(_ damaged: [UInt8]) async throws {
        let event = try #require(events.withLock { $0.count == 1 ? $0[0] : nil })
        guard case .movedAside(let file, let to, let reason) = event else {
            Issue.record("\(event)")
            return
        }
        #expect(file == folder.file && !reason.isEmpty)
        let name = URL(fileURLWithPath: to).lastPathComponent
        #expect(name.contains(/^test\.db\.corrupt-\d{8}T\d{6}Z$/))
        #expect(try folder.bytes(name) == damaged)
        #expect(try folder.mode("test.db") == 0o600)
    }

    @Test(arguments: ["nonsense", "a page", "cut", "a short header"])
    func `a file that is no database is moved aside and a new one begun`(_ damage: String) async throws {
        try await Database.make(folder.file)
        let whole = try folder.bytes()
        let damaged: [UInt8] =
            switch damage {
            case "nonsense": Array("not a database".utf8)
            case "a page": [UInt8](repeating: 90, count: 4096) + whole.dropFirst(4096)
            case "cut": Array(whole.prefix(10 * 4096 + 100))
            default: Array(whole.prefix(60))
            }
        try folder.write(damaged)
        let database = try open()
        try await expectMovedAside(damaged)
        try await database.add(1)
        #expect(try await database.numbers() == [1])
        await database.close()
    }

    @Test func `damage is found at opening when the kernel ended while the file was open`() async throws {
        try await Database.make(folder.file)
        try damage()
        try folder.write("open 1\n".utf8, "test.db.lock")
        let damaged = try folder.bytes()
        let database = try open()
        try await expectMovedAside(damaged)
        #expect(try await database.numbers().isEmpty)
        await database.close()
    }

    @Test(arguments: [(0, "open"), (1, "unchecked")])
    func `after a kill alone no page is checked, unless the check before was cut short`(_ count: Int, _ word: String)
        async throws
    {
        try await Database.make(folder.file)
        try damage()
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        try folder.write("\(word) 1 \(boot)".utf8, "test.db.lock")
        let database = try open()
        #expect(events.withLock { $0.count } == count)
        await database.close()
    }

    @Test func `a killed process leaves its boot`() async throws {
        let database = try open()
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(try folder.bytes("test.db.lock") == Array("open \(getpid()) \(boot)".utf8))
        await database.close()
    }

    @Test func `damage is found at opening when the file came from elsewhere`() async throws {
        try await Database.make(folder.file)
        try damage()
        try FileManager.default.removeItem(atPath: "\(folder.file).lock")
        let damaged = try folder.bytes()
        let database = try open()
        try await expectMovedAside(damaged)
        await database.close()
    }

    @Test func `damage that a statement finds is an error, and moved aside at the next opening`() async throws {
        try await Database.make(folder.file)
        try damage()
        let damaged = try folder.bytes()
        let database = try open()
        #expect(events.withLock { $0.isEmpty })
        let error = await #expect(throws: StorageError.self) { try await database.numbers() }
        #expect(error?.isCorrupt == true)
        #expect(error?.isBusy == false && error?.isFull == false)
        // Also when nobody closes it.
        #expect(try folder.bytes("test.db.lock").starts(with: "suspect".utf8))
        await database.close()
        let next = try open()
        try await expectMovedAside(damaged)
        try await next.add(1)
        #expect(try await next.numbers() == [1])
        await next.close()
    }

    @Test func `the log goes aside with its database`() async throws {
        try await Database.make(folder.file)
        try damage()
        try folder.write([UInt8](repeating: 1, count: 100), "test.db-wal")
        try folder.write("open 1\n".utf8, "test.db.lock")
        let database = try open()
        let aside = folder.names.filter { $0.contains("corrupt") }
        #expect(aside.contains { $0.hasSuffix("Z-wal") })
        try await database.add(1)
        await database.close()
    }

    @Test func `a second one of the same second takes another name`() async throws {
        try folder.write("open 1\n".utf8, "test.db.lock")
        for round in 1...3 {
            try folder.write("not a database \(round)".utf8)
            let database = try open()
            await database.close()
        }
        let contents = try folder.names.filter { $0.contains("corrupt") }.map { try folder.bytes($0) }
        #expect(Set(contents) == Set((1...3).map { Array("not a database \($0)".utf8) }))
    }

    @Test func `At most three are kept, the newest, each with its companions; other files stay`() async throws {
        let old = ["20250101T000000Z", "20250101T000000Z-2", "20250101T000000Z-10", "20250102T000000Z"]
        for stamp in old { try folder.write("old".utf8, "test.db.corrupt-\(stamp)") }
        try folder.write("log".utf8, "test.db.corrupt-20250101T000000Z-wal")
        let others = [
            "test.db.corrupt-mine", "other.db.corrupt-20250101T000000Z", "test.db.corrupt-20250101T000000Z.gz",
        ]
        for other in others { try folder.write("mine".utf8, other) }
        try folder.write("open 1\n".utf8, "test.db.lock")
        try folder.write("not a database".utf8)
        let database = try open()
        await database.close()
        let aside = folder.names.filter { $0.hasPrefix("test.db.corrupt-2") && !$0.hasSuffix(".gz") }
        #expect(aside.count == 3)
        #expect(aside.prefix(2) == ["test.db.corrupt-20250101T000000Z-10", "test.db.corrupt-20250102T000000Z"])
        #expect(try folder.bytes(aside[2]) == Array("not a database".utf8))
        #expect(Set(folder.names).isSuperset(of: others))
    }

    @Test func `what is whole stays where it is after a kill`() async throws {
        try await Database.make(folder.file)
        for word in ["open 1\n", "unchecked 1\n", "suspect 1\n", ""] {
            try folder.write(word.utf8, "test.db.lock")
            let database = try open()
            #expect(try await database.numbers().count == 200)
            await database.close()
        }
        #expect(events.withLock { $0.isEmpty })
    }
}
