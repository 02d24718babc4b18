import Coordination
import Foundation
import Lab
import Storage

/// Database files that a disk, a kill or a person has damaged.
extension FuzzReader {
    private static let schema = Schema(
        version: 1,
        tables: ["CREATE TABLE item (number INTEGER PRIMARY KEY, content BLOB)"]
    )

    /// Each is opened, refused or moved aside; what is opened may refuse a statement.
    static func database() throws -> FuzzReader {
        // In memory: each database waits for the disk several times.
        let folder = "/dev/shm/nhe-fuzz-\(UUID().uuidString)"
        let files = FileManager.default
        let whole = try waiting { () throws in
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? files.removeItem(atPath: folder) }
            return try await sample("\(folder)/sample.db")
        }
        let page = [UInt8](repeating: 0x5a, count: 100)
        return FuzzReader(
            seeds: [whole],
            words: [page, Array("SQLite format 3\u{0}".utf8)],
            maximumLength: whole.count + 4096,
            isCut: false,
            read: { bytes in
                try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
                defer { try? files.removeItem(atPath: folder) }
                let file = "\(folder)/f.db"
                try Data(bytes).write(to: URL(fileURLWithPath: file))
                // A file that other users can read is refused.
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
                // As after a kill, or after an orderly end, when less is checked.
                if bytes.count.isMultiple(of: 2) {
                    try Data("closed 1\n".utf8).write(to: URL(fileURLWithPath: "\(file).lock"))
                }
                return try waiting { await isWhole(file) }
            }
        )
    }

    private static func isWhole(_ file: String) async -> Bool {
        guard let database = try? Database(file: file, schema: schema) else { return false }
        let numbers = try? await database.read { transaction in
            try transaction.rows("SELECT number, content FROM item").compactMap { $0[0].integer }
        }
        try? await database.write { try $0.run("INSERT OR REPLACE INTO item VALUES (1000000, x'00')") }
        await database.close()
        return numbers?.count == 60
    }

    /// A file with 60 rows of a thousand bytes, closed in order.
    private static func sample(_ file: String) async throws -> [UInt8] {
        let database = try Database(file: file, schema: schema)
        try await database.write { transaction in
            for number in 1...60 {
                let row: [SQLValue] = [.integer(Int64(number)), .blob([UInt8](repeating: 7, count: 1000))]
                try transaction.run("INSERT INTO item VALUES (?, ?)", row)
            }
        }
        await database.close()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// Runs a task, which libFuzzer's thread waits for.
    private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let end = DispatchSemaphore(value: 0)
        let result = Locked(Result<Value, any Error>?.none)
        Task.detached {
            let value: Result<Value, any Error>
            do { value = .success(try await body()) } catch { value = .failure(error) }
            result.withLock { $0 = value }
            end.signal()
        }
        end.wait()
        guard let value = result.withLock({ $0 }) else { throw Finding("a task ended without a result") }
        return try value.get()
    }
}
