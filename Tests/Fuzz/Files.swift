import Foundation
import Lab
import Storage

/// Database files that a disk, a kill or a person has damaged.
extension Fuzzer {
    private static let migration = Migration("items", "CREATE TABLE item (number INTEGER PRIMARY KEY, content BLOB)")

    /// Each is opened, refused or moved aside; what is opened may refuse a statement.
    static func databases(in folder: String) async throws -> Fuzzer {
        let whole = try await sample("\(folder)/sample.db")
        let page = [UInt8](repeating: 0x5a, count: 4096)
        return Fuzzer(
            name: "database",
            rounds: 300,
            corpus: [whole],
            pieces: [page, Array(page.prefix(100)), Array(whole.prefix(4096)), Array(whole.suffix(4096))],
            cuts: false,
            read: { bytes in
                let file = "\(folder)/\(UUID().uuidString).db"
                try Data(bytes).write(to: URL(fileURLWithPath: file))
                // As after a kill, or after an orderly end, when less is checked.
                if bytes.count.isMultiple(of: 2) {
                    try Data("closed 1\n".utf8).write(to: URL(fileURLWithPath: "\(file).lock"))
                }
                defer {
                    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                    where file.hasSuffix(name.prefix(36) + ".db") {
                        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
                    }
                }
                guard let database = try? Database(file: file, migrations: [migration]) else { return false }
                let numbers = try? await database.read { transaction in
                    try transaction.rows("SELECT number, content FROM item").compactMap { $0[0].integer }
                }
                try? await database.write { try $0.run("INSERT OR REPLACE INTO item VALUES (1000000, x'00')") }
                await database.close()
                return numbers?.count == 60
            }
        )
    }

    /// A file with 60 rows of a thousand bytes, closed in order.
    private static func sample(_ file: String) async throws -> [UInt8] {
        let database = try Database(file: file, migrations: [migration])
        try await database.write { transaction in
            for number in 1...60 {
                let row: [SQLValue] = [.integer(Int64(number)), .blob([UInt8](repeating: 7, count: 1000))]
                try transaction.run("INSERT INTO item VALUES (?, ?)", row)
            }
        }
        await database.close()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    }
}
