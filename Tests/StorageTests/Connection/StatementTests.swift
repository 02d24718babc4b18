import Storage
import Testing

@Suite struct StatementTests {
    let database: Database

    init() throws {
        database = try Database(file: nil, schema: Schema(version: 1, tables: ["CREATE TABLE t (a, b)"]))
    }

    @Test(
        arguments: [
            .null, .integer(.min), .integer(.max), .real(-0.25), .real(.infinity), .text(""), .text("é\u{0}👩‍👩‍👧"),
            .blob([]),
            .blob([0, 255, 0]),
        ] as [SQLValue]
    ) func `a value comes back as it was`(_ value: SQLValue) async throws {
        let row = try await database.write { transaction in
            try transaction.run("INSERT INTO t VALUES (?, 1)", [value])
            return try transaction.rows("SELECT a, b FROM t")[0]
        }
        #expect(row["a"] == value)
        #expect(row[0] == value)
        #expect(row["b"] == .integer(1))
    }

    @Test func `a number that is none becomes null`() async throws {
        let row = try await database.read { try $0.rows("SELECT ? AS x", [.real(.nan)])[0] }
        #expect(row["x"] == .null)
    }

    @Test func `a column that is not there is null`() async throws {
        let row = try await database.read { try $0.rows("SELECT 1 AS x")[0] }
        #expect(row["y"] == .null)
        #expect(row[1] == .null)
        #expect(row[-1] == .null)
    }

    @Test func `values are read as their type`() {
        #expect(SQLValue.integer(2).integer == 2)
        #expect(SQLValue.integer(2).real == 2)
        #expect(SQLValue.real(2).integer == nil)
        #expect(SQLValue.text("2").text == "2")
        #expect(SQLValue.text("2").integer == nil)
        #expect(SQLValue.blob([2]).blob == [2])
        #expect(SQLValue.null.text == nil)
    }

    @Test func `changes are those of the last statement`() async throws {
        let changes = try await database.write { transaction in
            try transaction.run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
            let inserted = transaction.changes
            try transaction.run("DELETE FROM t WHERE a > ?", [.integer(1)])
            return [inserted, transaction.changes]
        }
        #expect(changes == [3, 2])
    }

    @Test(arguments: [
        ("SELEC 1", "syntax error"), ("SELECT 1; SELECT 2", "more than one"), ("", "holds no statement"),
        ("SELECT ?", "takes 1 values, not 0"), ("SELECT * FROM missing", "no such table: missing"),
    ]) func `a wrong statement is an error that says why`(_ sql: String, _ why: String) async throws {
        let error = await #expect(throws: StorageError.self) { try await database.read { try $0.run(sql) } }
        #expect(error?.description.contains(why) == true)
        #expect(error?.description.contains("SELECT") == false, "no SQL is in it")
        // And the same text works no better, nor harms another.
        await #expect(throws: StorageError.self) { try await database.read { try $0.run(sql) } }
        #expect(try await database.read { try $0.rows("SELECT 1 ;\n").count } == 1)
    }

    @Test func `a read cannot write`() async throws {
        let error = await #expect(throws: StorageError.self) {
            try await database.read { try $0.run("INSERT INTO t VALUES (1, 1)") }
        }
        #expect(error?.message == "the statement writes, in a transaction that reads")
        #expect(try await database.read { try $0.rows("SELECT * FROM t") }.isEmpty)
    }

    @Test func `more texts than are kept do no harm`() async throws {
        let sum = try await database.read { transaction in
            var sum: Int64 = 0
            for number in 0..<300 { sum += try transaction.rows("SELECT \(number)")[0][0].integer ?? 0 }
            return sum
        }
        #expect(sum == 299 * 150)
    }

    @Test func `rows can be read one by one`() async throws {
        let sql = "SELECT value, NULL, 'text' FROM (SELECT 1 AS value UNION SELECT 2)"
        let rows = try await database.read { transaction in
            var rows: [[SQLValue]] = []
            try transaction.forEachRow(of: sql) { row in rows.append([-1, 0, 1, 2, 3].map { row[$0] }) }
            return rows
        }
        #expect(rows == [1, 2].map { [.null, .integer($0), .null, .text("text"), .null] })
        await #expect(throws: StorageError.self) {
            try await database.read { try $0.forEachRow(of: "DELETE FROM t") { _ in } }
        }
    }

    @Test func `foreign keys are kept`() async throws {
        let database = try Database(
            file: nil,
            schema: Schema(
                version: 1,
                tables: ["CREATE TABLE a (x PRIMARY KEY)", "CREATE TABLE b (x REFERENCES a (x) ON DELETE CASCADE)"]
            )
        )
        await #expect(throws: StorageError.self) { try await database.write { try $0.run("INSERT INTO b VALUES (1)") } }
    }
}
