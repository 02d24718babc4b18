import Foundation
import Glibc
import Locking
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

    @Test func `a reload applies the new file and tells it once`() throws {
        let store = try ConfigurationStore(file: file)
        let told = Locked<[Configuration]>([])
        store.onChange { configuration in told.withLock { $0.append(configuration) } }
        let before = store.outcome
        try write("path: { constrained: true }\n")
        try store.reload()
        #expect(store.current.path.policy.constrained)
        #expect(store.outcome.wasSuccessful)
        #expect(store.outcome.lastSuccess >= before.lastSuccess)
        try store.reload()
        #expect(told.withLock { $0 } == [store.current], "an unchanged file is no change")
    }

    @Test(
        arguments: ConfigurationErrorTests.keys + ConfigurationErrorTests.values + ConfigurationErrorTests.texts
    )
    func `whatever is wrong with a file, nothing changes`(broken: ConfigurationErrorTests.Broken) throws {
        let store = try ConfigurationStore(file: file)
        let told = Locked(0)
        store.onChange { _ in told.withLock { $0 += 1 } }
        let before = store.current
        try write(broken.yaml)
        #expect(throws: YAMLError.self) { try store.reload() }
        #expect(store.current == before)
        #expect(!store.outcome.wasSuccessful)
        #expect(told.withLock { $0 } == 0)
    }

    @Test func `a bad file is refused, the old one stays, and a good one heals it`() throws {
        let store = try ConfigurationStore(file: file)
        let told = Locked(0)
        store.onChange { _ in told.withLock { $0 += 1 } }
        let before = store.outcome
        try write("path: { constrained: maybe }\n")
        #expect(throws: YAMLError.self) { try store.reload() }
        #expect(store.current == Configuration())
        #expect(store.outcome == ReloadOutcome(wasSuccessful: false, lastSuccess: before.lastSuccess))
        #expect(told.withLock { $0 } == 0)
        try write("path: { constrained: true }\n")
        try store.reload()
        #expect(store.outcome.wasSuccessful)
        #expect(store.outcome.lastSuccess >= before.lastSuccess)
        #expect(told.withLock { $0 } == 1)
    }

    @Test func `a file that is gone is refused, and has not changed`() throws {
        let store = try ConfigurationStore(file: file)
        try FileManager.default.removeItem(atPath: file)
        #expect(store.changedSources == nil)
        let error = try #require(throws: SystemError.self) { try store.reload() }
        #expect(error.description == "open \(file): No such file or directory (errno 2)")
        #expect(!store.outcome.wasSuccessful)
    }

    @Test func `has changed by content, and a bad file is tried only once`() throws {
        let store = try ConfigurationStore(file: file)
        #expect(store.changedSources == nil)
        try write("path: { constrained: maybe }\n")
        #expect(store.changedSources != nil)
        #expect(throws: YAMLError.self) { try store.reload() }
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
        #expect(throws: YAMLError.self) { try store.reloadTargetsFiles() }
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

    @Test func `watches the patterns last read, and the file of the cost`() throws {
        try write("targets_files: [\"d/*.yml\", /e.yml]\npath: { expensive_file: \"x*\" }\n")
        let store = try ConfigurationStore(file: file)
        #expect(store.watchedPatterns == ["\(folder.path)/d/*.yml", "/e.yml", "\(folder.path)/x\\*"])
        // The bad file of the new pattern is watched, so that its correction is noticed.
        try folder.write("f/a.yml", "bad")
        try write("targets_files: [\"f/*.yml\"]\n")
        #expect(throws: YAMLError.self) { try store.reload() }
        #expect(store.watchedPatterns == ["\(folder.path)/f/*.yml", "\(folder.path)/x\\*"])
    }

    @Test func `tells the same configuration again on demand`() throws {
        let store = try ConfigurationStore(file: file)
        let told = Locked(0)
        store.onChange { _ in told.withLock { $0 += 1 } }
        store.reapply()
        #expect(told.withLock { $0 } == 1)
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
        try write(String(repeating: "#", count: ConfigurationSources.fileLimit + 1))
        #expect(try code(file) == EFBIG)
        #expect(try code(folder.path) == EISDIR)
    }
}
