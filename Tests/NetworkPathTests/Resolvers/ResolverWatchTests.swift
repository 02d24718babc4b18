import Foundation
import Posix
import Testing

@testable import NetworkPath

/// Real files in a folder of the test's own.
@Suite(.timeLimit(.minutes(1)))
final class ResolverWatchTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "nhe-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder.appending(path: "etc"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var file: URL { folder.appending(path: "etc/resolv.conf") }

    private func write(_ text: String, to url: URL) throws {
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    /// Whether something that concerns the files has happened: inotify tells before the writer's call returns.
    private func isTold(_ watch: ResolverWatch) -> Bool {
        Poll.wait(for: watch.number, upTo: .zero) && watch.drain()
    }

    @Test func `tells of a file that is replaced, and of one that is written in place`() throws {
        try write("nameserver 192.0.2.1\n", to: file)
        let watch = try ResolverWatch(paths: [file.path()])
        #expect(!isTold(watch))
        try write("nameserver 192.0.2.2\n", to: file)
        #expect(isTold(watch))
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("#".utf8))
        try handle.close()
        #expect(isTold(watch))
    }

    @Test func `is silent about its neighbours`() throws {
        try write("", to: file)
        let watch = try ResolverWatch(paths: [file.path()])
        try write("", to: folder.appending(path: "etc/hosts"))
        #expect(!isTold(watch))
    }

    @Test func `tells of a link's target, in a folder that did not exist yet`() throws {
        try FileManager.default.createSymbolicLink(atPath: file.path(), withDestinationPath: "../run/resolve/stub.conf")
        let watch = try ResolverWatch(paths: [file.path()])
        let target = folder.appending(path: "run/resolve/stub.conf")
        try FileManager.default.createDirectory(at: folder.appending(path: "run"), withIntermediateDirectories: false)
        #expect(isTold(watch))
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: false
        )
        #expect(isTold(watch))
        try write("nameserver 192.0.2.1\n", to: target)
        #expect(isTold(watch))
    }

    @Test(arguments: [
        ("/etc/resolv.conf", "/etc", "resolv.conf"), ("/a", "/", "a"), ("a", ".", "a"), ("/", "/", ""),
        ("/a/b/", "/a/b", ""),
    ])
    func `splits a path`(path: String, directory: String, name: String) {
        #expect(WatchedPath.split(path) == (directory, name))
    }
}
