import CLab
import Foundation
import Glibc
import Lab
import Testing

@testable import Storage

/// A database that was copied, or restored from a backup, and has the permissions of the copy.
@Suite struct FilePrivacyTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func refusal() throws -> StorageError {
        try #require(throws: StorageError.self) { try Database(file: folder.file, schema: items) }
    }

    /// Runs the command at the end of a message.
    private func mend(_ message: String) throws {
        let command = try #require(message.split(separator: ": ").last)
        #expect(command.hasPrefix("ch"))
        _ = try run(["sh", "-c", String(command)])
    }

    @Test(arguments: [0o644, 0o640, 0o620, 0o604, 0o602, 0o660, 0o666, 0o777])
    func `a file of others is refused with the command that mends it`(mode: Int) async throws {
        try await Database.make(folder.file)
        try folder.setMode(mode)
        let before = try folder.bytes()
        for name in ["test.db.lock", nil] {
            let error = try refusal()
            let text = "other users can read or write it (mode \(String(mode, radix: 8))): chmod 600 \(folder.file)"
            #expect(error.description == "\(folder.file): open: \(text)")
            #expect(try folder.bytes() == before && folder.mode("test.db") == mode && !error.mayPass)
            // The first time the file is known by the lock beside it, the second by its tables.
            if let name { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        }
        #expect(folder.names == ["test.db"], "nothing is created beside it")
        try mend(try refusal().message)
        let database = try Database(file: folder.file, schema: items)
        #expect(try await database.numbers().count == 200)
        await database.close()
    }

    @Test(arguments: [[0o600, 0o644, 0o600], [0o600, 0o600, 0o660], [0o644, 0o644, 0o644]])
    func `the files beside it count, and one command mends all`(modes: [Int]) async throws {
        try await Database.make(folder.file)
        for (name, mode) in zip(["test.db", "test.db-wal", "test.db-shm"], modes) {
            if name != "test.db" { try folder.write([], name) }
            try folder.setMode(mode, name)
        }
        let message = try refusal().message
        for (name, mode) in zip(["test.db", "test.db-wal", "test.db-shm"], modes) {
            #expect(message.split(separator: " ").contains("\(folder.path)/\(name)") == (mode != 0o600), "\(message)")
        }
        try mend(message)
        let database = try Database(file: folder.file, schema: items)
        await database.close()
    }

    @Test func `a file of another user is also given to this one`() async throws {
        let folder = try TemporaryFolder(mode: 0o777)
        let file = folder.file
        try await Database.make(file)
        try FileManager.default.removeItem(atPath: "\(file).lock")
        try folder.setMode(0o644)
        let opening: @Sendable () throws -> StorageError? = {
            try #require(nhe_become_nobody() == 0)
            do {
                let database = try Database(file: file, schema: items)
                try waiting { await database.close() }
                return nil
            } catch let error as StorageError {
                return error
            }
        }
        let message = try #require(try await onThread(opening)).message
        #expect(message.hasSuffix(": chown 65534 \(file) && chmod 600 \(file)"))
        try mend(message)
        #expect(try await onThread(opening) == nil)
    }

    @Test func `a name with spaces and quotes comes back from the command`() async throws {
        let file = "\(folder.path)/it's a $HOME.db"
        try await Database.make(file)
        try folder.setMode(0o644, "it's a $HOME.db")
        let error = try #require(throws: StorageError.self) { try Database(file: file, schema: items) }
        try mend(error.message)
        await (try Database(file: file, schema: items)).close()
    }

    @Test func `in a volume that Kubernetes gives to the pod's group, the group may have the file`() async throws {
        let folder = try TemporaryFolder(mode: 0o2770)
        try await Database.make(folder.file)
        // What kubelet does with fsGroup at the next start.
        try folder.setMode(0o660)
        await (try Database(file: folder.file, schema: items)).close()
        try folder.setMode(0o664)
        #expect(throws: StorageError.self) { try Database(file: folder.file, schema: items) }
    }

    @Test(
        arguments: [
            (0o660, 0o2770, 7, false), (0o660, 0o2777, 7, false), (0o640, 0o2775, 7, false), (0o660, 0o2770, 8, true),
            (0o660, 0o770, 7, true), (0o660, 0o2750, 7, true), (0o660, 0o755, 7, true), (0o600, 0o777, 8, false),
            (0o604, 0o2770, 7, true), (0o710, 0o755, 8, false), (0o400, 0o755, 8, false),
        ] as [(mode_t, mode_t, gid_t, Bool)]
    )
    func `the group of the folder decides about that of the file`(
        mode: mode_t,
        folderMode: mode_t,
        folderGroup: gid_t,
        expected: Bool
    ) {
        var (file, folder) = (stat(), stat())
        (file.st_mode, file.st_gid) = (S_IFREG | mode, 7)
        (folder.st_mode, folder.st_gid) = (S_IFDIR | folderMode, folderGroup)
        #expect(FilePrivacy.isOpen(file, in: folder) == expected)
    }
}
