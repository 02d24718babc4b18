import Foundation
import Lab
import Storage
import Testing

@Suite(.timeLimit(.minutes(3))) struct DatabaseCopyTests {
    private let folder: TemporaryFolder
    private let source: String
    private let copy: String
    private let target: String

    init() throws {
        folder = try TemporaryFolder()
        (source, copy, target) = (folder.file("source.db"), folder.file("copy.db"), folder.file("target.db"))
    }

    private static let withSecret = Schema(
        version: 2,
        tables: ["CREATE TABLE item (number INTEGER PRIMARY KEY, content BLOB)", "CREATE TABLE secret (content TEXT)"],
        migrations: [1: "CREATE TABLE secret (content TEXT)"]
    )

    private func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }

    @Test func `an export has what is on the disk while the database is open, for its owner alone`() async throws {
        let database = try Database(file: source, schema: items)
        for number in 1...50 { try await database.add(Int64(number), content: [1]) }
        try DatabaseCopy.export(source, to: copy, emptied: [])
        try await database.add(51)
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        try DatabaseCopy.import(copy, to: target, emptied: [], schema: items)
        let imported = try Database(file: target, schema: items)
        #expect(try await imported.numbers() == Array(1...50))
        #expect(try await database.numbers() == Array(1...51))
        await imported.close()
        await database.close()
        #expect(try !names().contains { $0.contains(".new") || $0.hasPrefix("copy.db-") })
    }

    @Test func `an export leaves a file alone that another one makes or that was killed`() async throws {
        try await Database.make(source, items: 3)
        try folder.write("copy.db.new", "mine")
        try DatabaseCopy.export(source, to: copy, emptied: [])
        #expect(try String(contentsOfFile: "\(copy).new", encoding: .utf8) == "mine")
        #expect(try names().filter { $0.hasPrefix("copy") }.sorted() == ["copy.db", "copy.db.new"])
    }

    @Test func `an emptied table leaves no byte in the file`() async throws {
        let database = try Database(file: source, schema: Self.withSecret)
        try await database.write { try $0.run("INSERT INTO secret VALUES ('hidden-word')") }
        try await database.add(1)
        try DatabaseCopy.export(source, to: copy, emptied: ["secret", "missing"])
        await database.close()
        let bytes = try Data(contentsOf: URL(filePath: copy))
        #expect(bytes.count > 4000 && bytes.range(of: Data("hidden-word".utf8)) == nil)
        #expect(try await Database.readOnly(file: copy).numbers() == [1])
    }

    @Test func `an import empties the tables of a file that is no export`() async throws {
        let database = try Database(file: source, schema: Self.withSecret)
        try await database.write { try $0.run("INSERT INTO secret VALUES ('hidden-word')") }
        try await database.add(1)
        await database.close()
        try DatabaseCopy.import(source, to: target, emptied: ["secret", "missing"], schema: Self.withSecret)
        #expect(try Data(contentsOf: URL(filePath: target)).range(of: Data("hidden-word".utf8)) == nil)
        let imported = try Database(file: target, schema: Self.withSecret)
        #expect(try await imported.numbers() == [1])
        #expect(try await imported.read { try $0.rows("SELECT * FROM secret").isEmpty })
        await imported.close()
    }

    @Test func `a file with a trigger is not imported`() async throws {
        let database = try Database(file: source, schema: Self.withSecret)
        try await database.write {
            try $0.run("INSERT INTO secret VALUES ('hidden-word')")
            try $0.run("CREATE TRIGGER keep BEFORE DELETE ON secret BEGIN SELECT RAISE(IGNORE); END")
        }
        await database.close()
        let error = #expect(throws: StorageError.self) {
            try DatabaseCopy.import(source, to: target, emptied: ["secret"], schema: Self.withSecret)
        }
        #expect(error?.message == "has triggers, which no history has")
        #expect(try !names().contains { $0.hasPrefix("target.db") })
    }

    @Test func `neither replaces what is there`() async throws {
        try await Database.make(source, items: 3)
        try folder.write("copy.db", "mine")
        #expect(throws: StorageError.self) { try DatabaseCopy.export(source, to: copy, emptied: []) }
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine")
        try FileManager.default.removeItem(atPath: copy)
        try DatabaseCopy.export(source, to: copy, emptied: [])
        try await Database.make(target, items: 5)
        let error = #expect(throws: StorageError.self) {
            try DatabaseCopy.import(copy, to: target, emptied: [], schema: items)
        }
        #expect(error?.message == "holds a history already: move it away first")
        let kept = try Database(file: target, schema: items)
        #expect(try await kept.numbers().count == 5)
        let busy = #expect(throws: StorageError.self) {
            try DatabaseCopy.import(copy, to: target, emptied: [], schema: items)
        }
        #expect(busy?.message.hasPrefix("is in use by another process") == true)
        await kept.close()
    }

    @Test func `an import refuses what is damaged, of another program or of another version, and leaves nothing`()
        async throws
    {
        let database = try Database(file: source, schema: Self.withSecret)
        for number in 1...300 { try await database.add(Int64(number), content: [UInt8](repeating: 7, count: 500)) }
        try DatabaseCopy.export(source, to: copy, emptied: [])
        await database.close()
        let later = #expect(throws: StorageError.self) {
            try DatabaseCopy.import(copy, to: target, emptied: [], schema: items)
        }
        #expect(later?.message.contains("newer version") == true)
        let earlier = #expect(throws: StorageError.self) {
            try DatabaseCopy.import(copy, to: target, emptied: [], schema: Schema(version: 3, tables: []))
        }
        #expect(earlier?.message.contains("earlier version") == true)
        var bytes = try Data(contentsOf: URL(filePath: copy))
        bytes.replaceSubrange(20_000..<60_000, with: Data(repeating: 0xa5, count: 40_000))
        try bytes.write(to: URL(filePath: copy))
        #expect(throws: StorageError.self) {
            try DatabaseCopy.import(copy, to: target, emptied: [], schema: Self.withSecret)
        }
        let text = try folder.write("text", "no database")
        #expect(throws: StorageError.self) {
            try DatabaseCopy.import(text, to: target, emptied: [], schema: items)
        }
        #expect(throws: StorageError.self) {
            try DatabaseCopy.import(folder.file("none"), to: target, emptied: [], schema: items)
        }
        #expect(try !names().contains { $0.hasPrefix("target.db") })
    }
}
