import Coordination
import Foundation
import Glibc
import Lab
import NetworkPath
import Posix
import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct ConfigurationStoreTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write("exporter.yml", "path: { constrained: false }\n")
    }

    private func write(_ text: String) throws { try folder.write("exporter.yml", text) }

    @Test func `a reload applies the new file once`() throws {
        let store = try ConfigurationStore(file: file)
        let reported = Locked<[Configuration]>([])
        store.onChange { configuration in reported.withLock { $0.append(configuration) } }
        let before = store.outcome
        try write("path: { constrained: true }\n")
        try store.reload()
        #expect(store.current.path.policy.constrained)
        #expect(store.outcome.wasSuccessful)
        #expect(store.outcome.lastSuccess >= before.lastSuccess)
        try store.reload()
        #expect(reported.withLock { $0 } == [store.current], "an unchanged file is no change")
    }

    @Test(
        arguments: ConfigurationErrorTests.keys + ConfigurationErrorTests.values + ConfigurationErrorTests.texts
    )
    func `whatever is wrong with a file, nothing changes`(broken: ConfigurationErrorTests.Broken) throws {
        let store = try ConfigurationStore(file: file)
        let reported = Locked(0)
        store.onChange { _ in reported.withLock { $0 += 1 } }
        let before = store.current
        try write(broken.yaml)
        #expect(throws: YAMLErrors.self) { try store.reload() }
        #expect(store.current == before)
        #expect(!store.outcome.wasSuccessful)
        #expect(reported.withLock { $0 } == 0)
    }

    @Test func `an invalid file is refused, the old configuration stays, and a valid file replaces it`() throws {
        let store = try ConfigurationStore(file: file)
        let reported = Locked(0)
        store.onChange { _ in reported.withLock { $0 += 1 } }
        let before = store.outcome
        try write("path: { constrained: maybe }\n")
        #expect(throws: YAMLErrors.self) { try store.reload() }
        #expect(store.current == Configuration())
        #expect(store.outcome == ReloadOutcome(wasSuccessful: false, lastSuccess: before.lastSuccess))
        #expect(reported.withLock { $0 } == 0)
        try write("path: { constrained: true }\n")
        try store.reload()
        #expect(store.outcome.wasSuccessful)
        #expect(store.outcome.lastSuccess >= before.lastSuccess)
        #expect(reported.withLock { $0 } == 1)
    }

    @Test(arguments: ["", "# nothing\n", "---\n# nothing\n", "~\n"])
    func `a file that was emptied is refused, unless it was empty before`(text: String) throws {
        try write("internet: { enabled: false }\n")
        let store = try ConfigurationStore(file: file)
        try write(text)
        let error = try #require(throws: EmptyFile.self) { try store.reload() }
        #expect(error.description == "\(file): empty, and it was not before (write {} for the defaults)")
        #expect(!store.current.internet.isEnabled && !store.outcome.wasSuccessful)
        try write("{}\n")
        try store.reload()
        #expect(store.current == Configuration() && store.outcome.wasSuccessful, "said in so many words")
        try write(text)
        let empty = try ConfigurationStore(file: file)
        try empty.reload()
        #expect(empty.outcome.wasSuccessful && empty.emptyFiles == [file])
    }

    @Test func `an emptied file of targets is refused, a new empty one is not`() throws {
        try write("targets_files: [\"d/*.yml\"]\n")
        let a = try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        let store = try ConfigurationStore(file: file)
        let b = try folder.write("d/b.yml", "")
        try store.reloadTargetsFiles()
        #expect(store.emptyFiles == [b])
        try folder.write("d/a.yml", "# later\n")
        let error = try #require(throws: EmptyFile.self) { try store.reloadTargetsFiles() }
        #expect(error.description == "\(a): empty, and it was not before (write [] for no targets)")
        #expect(store.current.targets.all.map(\.name) == ["a"])
        try folder.write("d/a.yml", "[]\n")
        try store.reloadTargetsFiles()
        #expect(store.current.targets.all.isEmpty && store.emptyFiles == [b])
    }

    @Test(.timeLimit(.minutes(3))) func `only regular files are read, and links to them`() throws {
        try write("targets_files: [\"d/*.yml\"]\n")
        let fifo = "\(folder.path)/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let link = "\(folder.path)/link.yml"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        for special in [fifo, "/dev/null", "/dev/zero"] {
            let error = try #require(throws: SystemError.self) { try ConfigurationStore(file: special) }
            #expect(
                error.description == "read \(special), which is not a regular file: Invalid argument (errno 22)"
            )
        }
        let store = try ConfigurationStore(file: link)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/d", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/d/a.yml", withDestinationPath: "/dev/null")
        #expect(throws: (any Error).self) { try store.reloadTargetsFiles() }
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.moveItem(atPath: fifo, toPath: link)
        #expect(throws: (any Error).self) { try store.reload() }
    }

    @Test func `a file that is gone is refused, and has changed once`() throws {
        let store = try ConfigurationStore(file: file)
        try FileManager.default.removeItem(atPath: file)
        #expect(store.changedSources != nil)
        let error = try #require(throws: SystemError.self) { try store.reload() }
        #expect(error.description == "open \(file): No such file or directory (errno 2)")
        #expect(!store.outcome.wasSuccessful)
        #expect(store.changedSources == nil, "it is mentioned once")
        try write("path: { constrained: true }\n")
        try store.reload()
        #expect(store.current.path.policy.constrained && store.outcome.wasSuccessful)
    }

    @Test func `concurrent reloads are all applied, in their order`() async throws {
        try write("targets_files: [\"d/*.yml\"]\n")
        let store = try ConfigurationStore(file: file)
        let reported = Locked<[Configuration]>([])
        store.onChange { configuration in reported.withLock { $0.append(configuration) } }
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        try write("targets_files: [\"d/*.yml\"]\npath: { constrained: true }\n")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask { try index.isMultiple(of: 2) ? store.reload() : store.reloadTargetsFiles() }
            }
            try await group.waitForAll()
        }
        #expect(store.current.path.policy.constrained && store.current.targets.all.map(\.name) == ["a"])
        #expect(reported.withLock { $0.last } == store.current)
        #expect(reported.withLock { $0.count } <= 2)
    }

    @Test func `has changed by content, and a bad file is tried only once`() throws {
        let store = try ConfigurationStore(file: file)
        #expect(store.changedSources == nil)
        try write("path: { constrained: maybe }\n")
        #expect(store.changedSources != nil)
        #expect(throws: YAMLErrors.self) { try store.reload() }
        #expect(store.changedSources == nil)
        try write("path: { constrained: false }\n")
        #expect(store.changedSources != nil, "back to the first content, after a bad one")
        try store.reload()
        #expect(store.changedSources == nil)
        #expect(store.outcome.wasSuccessful)
    }

    @Test func `the files of its targets belong to it`() throws {
        try write("targets_files: [\"d/*.yml\"]\n")
        let store = try ConfigurationStore(file: file)
        let attempts = Locked(0)
        store.onAttempt { attempts.withLock { $0 += 1 } }
        #expect(store.changedSources == nil && !store.haveTargetsFilesChanged)
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        #expect(store.changedSources != nil && store.haveTargetsFilesChanged, "one that is new")
        try store.reloadTargetsFiles()
        #expect(store.changedSources == nil && !store.haveTargetsFilesChanged)
        #expect(store.current.targets.all.map(\.name) == ["a"])
        try folder.write("d/a.yml", "- { name: a }\n")
        #expect(store.changedSources != nil && store.haveTargetsFilesChanged, "one that is another")
        #expect(throws: YAMLErrors.self) { try store.reloadTargetsFiles() }
        #expect(!store.haveTargetsFilesChanged, "a bad one is tried once")
        #expect(store.current.targets.all.map(\.name) == ["a"])
        #expect(!store.outcome.wasSuccessful)
        try FileManager.default.removeItem(atPath: "\(folder.path)/d/a.yml")
        #expect(store.changedSources != nil && store.haveTargetsFilesChanged, "one that is gone")
        try store.reload()
        #expect(store.current.targets.all.isEmpty && store.outcome.wasSuccessful)
        #expect(attempts.withLock { $0 } == 3)
    }

    @Test func `the files alone are read with the configuration file as it was`() throws {
        try write("targets_files: [\"d/*.yml\"]\n")
        let store = try ConfigurationStore(file: file)
        try write("path: { constrained: true }\n")
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        try store.reloadTargetsFiles()
        #expect(!store.current.path.policy.constrained)
        #expect(store.current.targets.all.map(\.name) == ["a"])
        #expect(store.changedSources != nil && !store.haveTargetsFilesChanged)
    }

    @Test func `after an invalid file a valid file of targets is applied, and the outcome stays a failure`() throws {
        try write("targets_files: [\"d/*.yml\"]\n")
        let store = try ConfigurationStore(file: file)
        try write("targets_files: [\"d/*.yml\"]\npath: { constrained: maybe }\n")
        #expect(throws: YAMLErrors.self) { try store.reload() }
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        try store.reloadTargetsFiles()
        #expect(store.current.targets.all.map(\.name) == ["a"])
        #expect(!store.outcome.wasSuccessful, "the configuration file is still invalid")
        try write("targets_files: [\"d/*.yml\"]\n")
        try store.reload()
        #expect(store.outcome.wasSuccessful)
    }

    @Test func `watches the patterns last read, and the expensive file`() throws {
        try write("targets_files: [\"d/*.yml\", /e.yml]\npath: { expensive_file: \"x*\" }\n")
        let store = try ConfigurationStore(file: file)
        #expect(store.watchedPatterns == ["\(folder.path)/d/*.yml", "/e.yml", "\(folder.path)/x\\*"])
        // The bad file of the new pattern is watched, so that its correction is noticed.
        try folder.write("f/a.yml", "bad")
        try write("targets_files: [\"f/*.yml\"]\n")
        #expect(throws: YAMLErrors.self) { try store.reload() }
        #expect(store.watchedPatterns == ["\(folder.path)/f/*.yml", "\(folder.path)/x\\*"])
    }

    @Test func `the same configuration is applied again on demand`() throws {
        let store = try ConfigurationStore(file: file)
        let reported = Locked(0)
        store.onChange { _ in reported.withLock { $0 += 1 } }
        store.reapply()
        #expect(reported.withLock { $0 } == 1)
    }

    @Test func `without a file everything is at its default, and a reload succeeds`() throws {
        let store = try ConfigurationStore(file: nil)
        try store.reload()
        #expect(store.current == Configuration())
        #expect(store.changedSources == nil)
        #expect(store.outcome.wasSuccessful)
    }

    @Test func `a missing or a too large file is an error at the start`() throws {
        func code(_ file: String) throws -> Int32 {
            try #require(throws: SystemError.self) { try ConfigurationStore(file: file) }.code
        }
        #expect(try code(folder.path + "/nothing.yml") == ENOENT)
        try write(String(repeating: "#", count: ConfigurationSources.File.limit + 1))
        #expect(try code(file) == EFBIG)
        #expect(try code(folder.path) == EISDIR)
    }
}
