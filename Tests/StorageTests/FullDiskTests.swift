import CLab
import Glibc
import Posix
import Storage
import Testing

@Suite struct FullDiskTests {
    @Test func `a full disk is an error that loses nothing, and over when there is room again`() async throws {
        let folder = try TemporaryFolder()
        // A thread in another world could not remove the folder: it is given the names only.
        let (path, file) = (folder.path, folder.file)
        // On one thread, since only that and those it starts see the small disk.
        try await onThread {
            guard nhe_mount_memory(path, "size=2m") == 0 else { throw SystemError(call: "mount", code: errno) }
            let ballast = try Descriptor(owning: open("\(path)/ballast", O_RDWR | O_CREAT, 0o600), from: "open")
            try #require(posix_fallocate(ballast.number, 0, 1 << 20) == 0)
            let database = try Database(file: file, migrations: [items])
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
            #expect(try waiting { try await database.numbers() } == written)

            ftruncate(ballast.number, 0)
            try waiting { try await database.add(5000) }
            database.close()
            let again = try Database(file: file, migrations: [items])
            #expect(try waiting { try await again.numbers() } == written + [5000])
            again.close()
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `a disk that is full from the start is told`() async throws {
        let folder = try TemporaryFolder()
        // A thread in another world could not remove the folder: it is given the names only.
        let (path, file) = (folder.path, folder.file)
        try await onThread {
            guard nhe_mount_memory(path, "size=16k") == 0 else { throw SystemError(call: "mount", code: errno) }
            let error = #expect(throws: StorageError.self) { try Database(file: file, migrations: [items]) }
            #expect(error?.isFull == true)
            #expect(error?.description.contains(file) == true)
        }
        withExtendedLifetime(folder) {}
    }
}
