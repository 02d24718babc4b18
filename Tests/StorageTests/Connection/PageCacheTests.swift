import Lab
import Testing

@testable import Storage

/// What an open database keeps of its file in memory: by default SQLite keeps 2 MB.
@Suite struct PageCacheTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// With what SQLite keeps beside each page.
    private static let limit = Connection.cachedKilobytes * 1024 * 5 / 4

    @Test func `the pages in memory have a limit, which a large transaction keeps too`() throws {
        let opening = Opening(path: folder.file, schema: items, busyTimeout: .zero)
        let (connection, file) = try opening.open { _ in }
        try withExtendedLifetime(file) {
            try connection.rows("BEGIN IMMEDIATE", for: .write)
            for number in 1...4000 { try add(number, to: connection) }
            #expect((1...Self.limit).contains(connection.pageBytes), "\(connection.pageBytes)")
            try connection.rows("COMMIT", for: .write)
            #expect(try count(in: connection) == 4000)
            #expect((1...Self.limit).contains(connection.pageBytes), "\(connection.pageBytes)")
        }
    }

    @Test func `so do those of a file that cannot be written`() async throws {
        try await Database.make(folder.file, items: 4000)
        let connection = try Connection(frozen: folder.file)
        #expect(try count(in: connection) == 4000)
        #expect((1...Self.limit).contains(connection.pageBytes), "\(connection.pageBytes)")
    }

    /// Adds an item of a thousand bytes.
    private func add(_ number: Int, to connection: Connection) throws {
        let content = SQLValue.blob([UInt8](repeating: 7, count: 1000))
        try connection.rows("INSERT INTO item VALUES (?, ?)", [.integer(Int64(number)), content], for: .write)
    }

    /// How many items there are; each is read.
    private func count(in connection: Connection) throws -> Int {
        var count = 0
        try connection.forEachRow(of: "SELECT content FROM item", for: .read) { _ in count += 1 }
        return count
    }
}
