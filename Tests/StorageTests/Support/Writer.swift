import Foundation
import Glibc
import Lab
import Storage

/// The program that writes numbers into a database until it is killed.
enum Writer {
    /// Built with the tests, beside their bundle.
    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("storage-writer").path

    static func start(_ file: String) throws -> Program { try Program([program, file]) }

    /// Those of the program.
    static let schema = Schema(
        version: 1,
        tables: [
            "CREATE TABLE number (value INTEGER PRIMARY KEY, content BLOB NOT NULL)",
            "CREATE TABLE double (value INTEGER PRIMARY KEY)",
        ]
    )

    /// What it has committed; throws where it did so by halves.
    @Sendable static func numbers(_ transaction: borrowing Transaction) throws -> Set<Int64> {
        let rows = try transaction.rows("SELECT value, content FROM number")
        let doubles = Set(try transaction.rows("SELECT value FROM double").compactMap { $0[0].integer })
        for row in rows {
            guard let value = row[0].integer, doubles.contains(2 * value),
                row[1].blob == [UInt8](repeating: UInt8(truncatingIfNeeded: value), count: Int(value % 9) * 1000)
            else { throw Failure(description: "\(row[0]) was written by halves") }
        }
        guard rows.count == doubles.count else { throw Failure(description: "a double has no number") }
        return Set(rows.compactMap { $0[0].integer })
    }
}
