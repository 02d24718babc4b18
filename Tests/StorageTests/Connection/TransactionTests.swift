import Coordination
import Lab
import Storage
import Testing

@Suite final class TransactionTests: Sendable {
    let folder: TemporaryFolder
    let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(file: folder.file, schema: items)
    }

    /// How many commits the log holds: frames that tell the size of the database (sqlite.org/fileformat2.html).
    private func commits() throws -> Int {
        let log = try folder.bytes("test.db-wal")
        return stride(from: 32, to: log.count, by: 24 + 4096).count { frame in
            log[8..<16].elementsEqual(log[16..<24]) || log[(frame + 4)..<(frame + 8)].contains { $0 != 0 }
        }
    }

    @Test func `what waits at the same time shares one commit`() async throws {
        let database = database
        let before = try commits()
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await holding(database) {
                for number in 1...20 { group.addTask { try await database.add(Int64(number)) } }
                await queued(20, for: database)
            }
            try await group.waitForAll()
        }
        #expect(try await database.numbers() == Array(1...20))
        // What held the thread has written nothing.
        #expect(try commits() == before + 1)
    }

    @Test func `one that throws undoes only itself`() async throws {
        let database = database
        struct Refused: Error {}
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            try await holding(database) {
                for number in Int64(1)...6 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                try transaction.add(number)
                                if number % 3 == 0 { throw Refused() }
                                if number % 3 == 1 { try transaction.add(number) }
                            }
                            return true
                        } catch is Refused {
                            return false
                        } catch is StorageError {
                            return false
                        }
                    }
                }
                await queued(6, for: database)
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 2)
        #expect(try await database.numbers() == [2, 5])
    }

    @Test func `one that ends the transaction itself fails and the next works`() async throws {
        let error = await #expect(throws: StorageError.self) { try await database.write { try $0.run("ROLLBACK") } }
        #expect(error?.message == "the transaction was rolled back")
        try await database.add(1)
        #expect(try await database.numbers() == [1])
    }

    @Test func `a read is shown only what is on the disk`() async throws {
        let database = database
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            try await holding(database) {
                group.addTask {
                    try await database.add(1)
                    return []
                }
                await queued(1, for: database)
                group.addTask { try await database.numbers() }
                await queued(2, for: database)
            }
            // The write came first, and is not committed when the read is done.
            for try await numbers in group { #expect(numbers.isEmpty) }
        }
    }

    @Test func `closing ends what waits and lets what runs commit`() async throws {
        let database = database
        let failures = Locked<[StorageError]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            let adding: @Sendable (borrowing Transaction) throws -> Void = { try $0.add(1) }
            try await holding(database, first: adding) {
                for number in Int64(2)...4 {
                    group.addTask {
                        do throws(any Error) { try await database.add(number) } catch let error as StorageError {
                            failures.withLock { $0.append(error) }
                        }
                    }
                }
                await queued(3, for: database)
                group.addTask { await database.close() }
                // They end while the thread is still held.
                while failures.withLock({ $0.count }) < 3 { await Task.yield() }
            }
            try await group.waitForAll()
        }
        #expect(failures.withLock { $0 }.allSatisfy { $0.message == "the database was closed" })
        await database.close()
        await #expect(throws: StorageError.self) { try await database.add(9) }
        // The log was copied into the file.
        #expect(folder.names == ["test.db", "test.db.lock"])
        let again = try Database(file: folder.file, schema: items)
        #expect(try await again.numbers() == [1])
        await again.close()
    }

    @Test(.timeLimit(.minutes(3)))
    func `closing keeps no thread of the pool waiting, and waits for the work also in a cancelled task`() async throws {
        let database = database
        let closed = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await holding(database, first: { try $0.add(1) }) {
                // More than the pool has threads: were they blocked, nothing would let the work go on.
                for _ in 0..<64 {
                    group.addTask {
                        await database.close()
                        closed.withLock { $0 += 1 }
                    }
                }
                group.cancelAll()
                await #expect(throws: StorageError.self) {
                    while true { _ = try await database.numbers() }
                }
                #expect(closed.withLock { $0 } == 0, "the work is still under way")
            }
            try await group.waitForAll()
        }
        #expect(closed.withLock { $0 } == 64)
        let again = try Database(file: folder.file, schema: items)
        #expect(try await again.numbers() == [1])
        await again.close()
    }

    @Test func `a database let go on its own thread ends`() async throws {
        let memory = Locked<Database?>(try Database(file: nil, schema: items))
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        // The last owner is a closure that the thread lets go of.
        Task { [database = memory.withLock { $0.take() }] in
            try await database?.write { [database] _ in _ = database }
            continuation.finish()
        }
        for await _ in ended {}
    }
}
