// Writes numbers into a database until it is killed, and prints each after its commit: storage-writer FILE
import Glibc
import Storage

let database = try Database(
    file: CommandLine.arguments[1],
    schema: Schema(
        version: 1,
        tables: [
            "CREATE TABLE number (value INTEGER PRIMARY KEY, content BLOB NOT NULL)",
            "CREATE TABLE double (value INTEGER PRIMARY KEY)",
        ]
    )
)
let start = try await database.read { try $0.rows("SELECT max(value) FROM number")[0][0].integer ?? 0 }

// Several at a time, so that they share commits.
try await withThrowingTaskGroup(of: Void.self) { group in
    let tasks: Int64 = 4
    for task in 1...tasks {
        group.addTask {
            var value = start + task
            while true {
                let number = value
                try await database.write { transaction in
                    // Of different sizes, some larger than a page.
                    let content = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int(number % 9) * 1000)
                    try transaction.run("INSERT INTO number VALUES (?, ?)", [.integer(number), .blob(content)])
                    try transaction.run("INSERT INTO double VALUES (?)", [.integer(2 * number)])
                }
                let line = Array("\(number)\n".utf8)
                _ = write(1, line, line.count)
                value += tasks
            }
        }
    }
    try await group.waitForAll()
}
