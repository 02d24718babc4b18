import Storage

/// The schema of these tests.
let items = Schema(version: 1, tables: ["CREATE TABLE item (number INTEGER PRIMARY KEY, content BLOB)"])

extension Database {
    /// Adds an item.
    func add(_ number: Int64, content: [UInt8] = []) async throws {
        try await write { try $0.add(number, content: content) }
    }

    /// The numbers of all items; every content is read too.
    func numbers() async throws -> [Int64] {
        try await read { try $0.rows("SELECT number, content FROM item ORDER BY number").compactMap { $0[0].integer } }
    }

    /// Makes a file with so many items of a thousand bytes, closed in order.
    static func make(_ file: String, items count: Int64 = 200) async throws {
        let database = try Database(file: file, schema: items)
        try await database.write { transaction in
            for number in 1...count { try transaction.add(number, content: [UInt8](repeating: 7, count: 1000)) }
        }
        await database.close()
    }
}

extension Transaction {
    /// Adds an item.
    func add(_ number: Int64, content: [UInt8] = []) throws(StorageError) {
        try run("INSERT INTO item VALUES (?, ?)", [.integer(number), .blob(content)])
    }
}
