import CLab
import Glibc
import Lab
import Posix
import Storage
import Testing

@Suite(.timeLimit(.minutes(3))) struct FullDiskTests {
    private let large = [UInt8](repeating: 1, count: 100_000)

    @Test func `a full disk is an error that loses nothing, and over when there is room again`() async throws {
        let folder = try TemporaryFolder()
        // A thread in another world could not remove the folder: it is given the names only.
        let (path, file) = (folder.path, folder.file)
        // On one thread, since only that and those it starts see the small disk.
        try await onThread {
            guard nhe_mount_memory(path, "size=2m") == 0 else { throw SystemError(call: "mount", code: errno) }
            let ballast = try Descriptor(owning: open("\(path)/ballast", O_RDWR | O_CREAT, 0o600), from: "open")
            try #require(posix_fallocate(ballast.number, 0, 1 << 20) == 0)
            let events = Events()
            let database = try Database(file: file, schema: items, onEvent: events.add)
            var written: [Int64] = []
            var failure: StorageError?
            while failure == nil, written.count < 1000 {
                let number = Int64(written.count)
                do {
                    try waiting { try await database.add(number, content: [UInt8](repeating: 1, count: 10_000)) }
                    written.append(number)
                } catch let error as StorageError {
                    failure = error
                }
            }
            #expect(failure?.isFull == true, "\(String(describing: failure))")
            #expect(failure?.isCorrupt == false && failure?.isBusy == false)
            #expect(written.count > 10)
            #expect(database.failure == failure)
            #expect(try waiting { try await database.numbers() } == written)

            #expect(throws: StorageError.self) { try waiting { try await database.add(6000, content: large) } }

            ftruncate(ballast.number, 0)
            try waiting { try await database.add(5000) }
            #expect(database.failure == nil)
            // A page may fit where a row of 100 kB does not.
            #expect(events.names.first == "unavailable" && events.names.last == "available")
            try waiting { await database.close() }
            let again = try Database(file: file, schema: items)
            #expect(try waiting { try await again.numbers() } == written + [5000])
            try waiting { await again.close() }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `a disk that is full from the start stores nothing, says so, and is used once there is room`()
        async throws
    {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.path, folder.file)
        try await onThread {
            guard nhe_mount_memory(path, "size=16k") == 0 else { throw SystemError(call: "mount", code: errno) }
            let events = Events()
            let database = try Database(file: file, schema: items, onEvent: events.add)
            let failure = try #require(database.failure)
            #expect(failure.isFull && failure.description.contains(file))
            let error = #expect(throws: StorageError.self) { try waiting { try await database.add(1) } }
            #expect(error?.isFull == true)
            #expect(try waiting { try await database.numbers() }.isEmpty)
            #expect(events.names == ["unavailable"])

            try remount(path, isReadOnly: false)
            try waiting { try await database.add(1) }
            #expect(try waiting { try await database.numbers() } == [1])
            #expect(database.failure == nil && events.names == ["unavailable", "available"])
            try waiting { await database.close() }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `what a killed process left is read on a full disk, and kept for later`() async throws {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.path, folder.file)
        try await onThread {
            guard nhe_mount_memory(path, "size=2m") == 0 else { throw SystemError(call: "mount", code: errno) }
            let writer = try Writer.start(file)
            var printed: Set<Int64> = []
            for _ in 0..<20 { printed.insert(try #require(writer.readLine().flatMap { Int64($0) })) }
            writer.end()
            try #require(writer.wait() == -SIGKILL)
            unlink("\(file)-shm")
            try fill(path)
            let database = try Database(file: file, schema: Writer.schema)
            #expect(database.failure?.isFull == true, "\(String(describing: database.failure))")
            #expect(try waiting { try await database.read(Writer.numbers) }.isSuperset(of: printed))
            try #require(access("\(file)-wal", F_OK) == 0)

            unlink("\(path)/ballast")
            try waiting { try await database.write { try $0.run("INSERT INTO double VALUES (1)") } }
            try waiting { try await database.write { try $0.run("DELETE FROM double WHERE value = 1") } }
            #expect(try waiting { try await database.read(Writer.numbers) }.isSuperset(of: printed))
            try waiting { await database.close() }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `the tail that a process left is found on a full disk, and not replaced before it was`() async throws {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.path, folder.file)
        try await onThread {
            guard nhe_mount_memory(path, "size=2m") == 0 else { throw SystemError(call: "mount", code: errno) }
            let first = try Database(file: file, schema: items)
            try waiting { try await first.add(1) }
            try waiting { await first.close() }
            let bytes = Array("left\n\n".utf8)
            let tail = try Descriptor(owning: open("\(file).tail", O_WRONLY | O_CREAT, 0o600), from: "open")
            try #require(write(tail.number, bytes, bytes.count) == bytes.count)
            try fill(path)
            let database = try Database(file: file, schema: items)
            #expect(database.failure?.isFull == true, "\(String(describing: database.failure))")
            #expect(database.foundTail == bytes)
            try waiting { await database.close() }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `a read-only disk is read, and used once it is writable, also by an idle database`() async throws {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.path, folder.file)
        try await onThread {
            guard nhe_mount_memory(path, "size=2m") == 0 else { throw SystemError(call: "mount", code: errno) }
            let first = try Database(file: file, schema: items)
            for number in Int64(1)...3 { try waiting { try await first.add(number) } }
            try waiting { await first.close() }
            try remount(path, isReadOnly: true)
            let events = Events()
            let interval = Duration.milliseconds(10)
            let database = try Database(file: file, schema: items, checkInterval: interval, onEvent: events.add)
            #expect(database.failure?.systemCode == EROFS)
            #expect(throws: StorageError.self) { try waiting { try await database.add(4) } }
            #expect(try waiting { try await database.numbers() } == [1, 2, 3])
            try remount(path, isReadOnly: false)
            // Nothing is written meanwhile.
            try waiting { await events.wait(for: "available") }
            #expect(database.failure == nil && events.names == ["unavailable", "available"])
            try waiting { try await database.add(4) }
            #expect(try waiting { try await database.numbers() } == [1, 2, 3, 4])
            try waiting { await database.close() }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `what could not even be read is not written over`() async throws {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.path, folder.file)
        try await onThread {
            guard nhe_mount_memory(path, "size=2m") == 0 else { throw SystemError(call: "mount", code: errno) }
            do {
                let damaged = try Descriptor(owning: open(file, O_WRONLY | O_CREAT, 0o600), from: "open")
                let bytes = Array("SQLite format 3\0 and nothing else".utf8)
                try #require(write(damaged.number, bytes, bytes.count) == bytes.count)
            }
            try remount(path, isReadOnly: true)
            let database = try Database(file: file, schema: items)
            #expect(database.failure?.description.contains("nor can it be read: restart when it can") == true)
            #expect(throws: StorageError.self) { try waiting { try await database.numbers() } }
            try remount(path, isReadOnly: false)
            #expect(throws: StorageError.self) { try waiting { try await database.add(1) } }
            try #require(access("\(file).lock", F_OK) != 0)
            try waiting { await database.close() }
        }
        withExtendedLifetime(folder) {}
    }

    /// Makes the small disk read-only, or writable again and of two megabytes.
    private func remount(_ path: String, isReadOnly: Bool) throws {
        // A child of another test has copies of the files that are open for writing here until it has started; they
        // keep the disk from becoming read-only (EBUSY).
        let code = whileNoChildStarts { nhe_remount_memory(path, isReadOnly ? 1 : 0, "size=2m") == 0 ? 0 : errno }
        guard code == 0 else { throw SystemError(call: "mount", code: code) }
    }

    /// Leaves no room in a file system.
    private func fill(_ path: String) throws {
        let ballast = try Descriptor(owning: open("\(path)/ballast", O_WRONLY | O_CREAT, 0o600), from: "open")
        let page = [UInt8](repeating: 1, count: 4096)
        while write(ballast.number, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
    }
}
