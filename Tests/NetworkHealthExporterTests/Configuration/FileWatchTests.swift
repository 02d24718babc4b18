import Coordination
import Foundation
import Lab
import Posix
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3)))
struct FileWatchTests {
    /// What two files hold, as it is found when a change is told; nil for a missing one.
    private struct Contents: Equatable {
        var targets: String?
        var expensive: String?
    }

    private static let timings = FileWatch.Timings(
        quiet: .milliseconds(5),
        max: .milliseconds(50),
        recheck: .seconds(3600)
    )

    private let folder: TemporaryFolder
    private let reported: AsyncStream<Contents>
    private let continuation: AsyncStream<Contents>.Continuation

    init() throws {
        folder = try TemporaryFolder()
        (reported, continuation) = AsyncStream<Contents>.makeStream()
    }

    private func watch(
        _ timings: FileWatch.Timings = timings,
        patterns: (@Sendable () -> [String])? = nil
    ) throws -> FileWatch {
        let path = folder.path
        return try FileWatch(
            patterns: patterns ?? { ["\(path)/d/*.yml", "\(path)/expensive"] },
            timings: timings,
            onChange: { [continuation] in
                let targets = SmallFile.text("\(path)/d/a.yml")
                continuation.yield(Contents(targets: targets, expensive: SmallFile.text("\(path)/expensive")))
            }
        )
    }

    /// Runs `body` while the files are watched.
    private func watching(_ watch: FileWatch, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// Waits until these contents are told.
    private func wait(for targets: String?, _ expensive: String? = nil) async {
        _ = await reported.first { $0 == Contents(targets: targets, expensive: expensive) }
    }

    @Test func `reports the beginning, then each file that appears, changes, is replaced or disappears`() async throws {
        let watch = try watch()
        try await watching(watch) {
            await wait(for: nil)
            try folder.write("d/a.yml", "1")
            await wait(for: "1")
            try folder.write("d/a.yml", "2")
            await wait(for: "2")
            let other = try folder.write("other", "3")
            #expect(rename(other, "\(folder.path)/d/a.yml") == 0)
            await wait(for: "3")
            try folder.write("expensive", "1")
            await wait(for: "3", "1")
            try FileManager.default.removeItem(atPath: "\(folder.path)/d/a.yml")
            await wait(for: nil, "1")
            try folder.write("new/a.yml", "4")
            try FileManager.default.removeItem(atPath: "\(folder.path)/d")
            #expect(rename("\(folder.path)/new", "\(folder.path)/d") == 0)
            await wait(for: "4", "1")
            try folder.write("d/a.yml", "5")
            await wait(for: "5", "1")
        }
    }

    @Test func `without an event it reports a change from time to time`() async throws {
        let watch = try watch(FileWatch.Timings(recheck: .milliseconds(5)))
        try await watching(watch) {
            for _ in 0..<3 { await wait(for: nil) }
        }
    }

    @Test func `a burst is reported when it is over, or at the maximum time`() async throws {
        let watch = try watch(
            FileWatch.Timings(quiet: .seconds(3600), max: .milliseconds(20), recheck: .seconds(3600))
        )
        try await watching(watch) {
            await wait(for: nil)
            try folder.write("expensive", "1")
            await wait(for: nil, "1")
        }
    }

    @Test func `ends with its task, while it waits and before it began`() async throws {
        let watch = try watch()
        try await watching(watch) { await wait(for: nil) }
        try await watching(self.watch()) {}
    }

    @Test func `other patterns are watched after a refresh`() async throws {
        let path = folder.path
        let name = Locked("nothing")
        let watch = try watch(patterns: { ["\(path)/\(name.withLock { $0 })"] })
        try await watching(watch) {
            await wait(for: nil)
            name.withLock { $0 = "expensive" }
            watch.refresh()
            await wait(for: nil)
            try folder.write("expensive", "1")
            await wait(for: nil, "1")
        }
    }
}
