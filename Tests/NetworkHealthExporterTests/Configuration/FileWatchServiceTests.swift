import Coordination
import Foundation
import Lab
import NetworkPath
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3)))
struct FileWatchServiceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the service over a configuration while `body` changes files and awaits lines of the log.
    private func run(
        _ configuration: String,
        _ body: (ConfigurationStore, LogRecorder) async throws -> Void
    ) async throws {
        let store = try ConfigurationStore(file: try folder.write("exporter.yml", configuration))
        let log = LogRecorder()
        let service = FileWatchService(
            store: store,
            logger: log.logger,
            timings: FileWatch.Timings(quiet: .milliseconds(5), max: .milliseconds(50), recheck: .seconds(3600))
        )
        let task = Task { try await service.run() }
        do {
            try await body(store, log)
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        try await task.value
    }

    /// Creates or replaces a file by rename(2): readers never see an incomplete file.
    private func replace(_ name: String, _ text: String) throws {
        let new = try folder.write("\(name)-new", text)
        try #require(rename(new, folder.file(name)) == 0)
    }

    @Test func `a targets file is applied, refused, healed and forgotten as it changes`() async throws {
        try await run("targets_files: [\"d/*.yml\"]\n") { store, log in
            let reloaded = "info Configuration reloaded"
            try folder.write("d/a.yml.new", "- { name: a, module: icmp, address: x }\n")
            try replace("d/a.yml", "- { name: a, module: icmp, address: x }\n")
            #expect(await log.next() == reloaded)
            #expect(store.current.targets.all.map(\.name) == ["a"])
            try replace("d/a.yml", "- { name: b }\n")
            let refusal = "error Configuration refused, the old one stays: "
            #expect(
                await log.next() == refusal + "\(folder.path)/d/a.yml:1: [0]: the key \"module\" is missing"
            )
            #expect(store.current.targets.all.map(\.name) == ["a"])
            #expect(!store.outcome.wasSuccessful)
            try replace("d/a.yml", "- { name: b, module: icmp, address: x }\n")
            #expect(await log.next() == reloaded)
            #expect(store.current.targets.all.map(\.name) == ["b"])
            #expect(store.outcome.wasSuccessful)
            try FileManager.default.removeItem(atPath: "\(folder.path)/d/a.yml")
            #expect(await log.next() == reloaded)
            #expect(store.current.targets.all.isEmpty)
        }
    }

    @Test func `the configuration file itself is not read again for it`() async throws {
        try await run("targets_files: [\"d/*.yml\"]\n") { store, log in
            try folder.write("exporter.yml", "path: { constrained: maybe }\n")
            try replace("d/a.yml", "- { name: a, module: icmp, address: x }\n")
            #expect(await log.next() == "info Configuration reloaded")
            #expect(store.current.targets.all.map(\.name) == ["a"])
            #expect(store.changedSources != nil)
        }
    }

    @Test func `each change of the expensive file is logged, and a missing one once`() async throws {
        try await run("path: { expensive_file: expensive }\n") { store, log in
            let (verdicts, continuation) = AsyncStream<Bool?>.makeStream()
            let nothing = "warning path.expensive_file has no verdict: "
            #expect(await log.next() == "\(nothing)open \(folder.path)/expensive: No such file or directory (errno 2)")
            store.onChange { configuration in
                continuation.yield(configuration.pathConfiguration(PathSettings()).policy.fileVerdict)
            }
            // The change before it may be delivered twice: its delivery can still be under way, and reads the file then.
            func expect(_ verdict: Bool?) async {
                for await reported in verdicts where reported == verdict { return }
            }
            try replace("expensive", "1\n")
            #expect(await log.next() == "info path.expensive_file reports the path as expensive")
            await expect(true)
            try replace("expensive", "0\n")
            #expect(await log.next() == "info path.expensive_file reports the path as not expensive")
            await expect(false)
            try replace("expensive", "what?\n")
            #expect(await log.next() == "\(nothing)\(folder.path)/expensive: expected 0 or 1")
            await expect(nil)
        }
    }

    @Test func `a reload that names other files watches those`() async throws {
        try await run("targets_files: []\n") { store, log in
            try folder.write("exporter.yml", "targets_files: [\"d/*.yml\"]\n")
            try store.reload()
            try replace("d/a.yml", "- { name: a, module: icmp, address: x }\n")
            #expect(await log.next() == "info Configuration reloaded")
            #expect(store.current.targets.all.map(\.name) == ["a"])
        }
    }
}
