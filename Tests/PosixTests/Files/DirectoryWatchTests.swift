import Foundation
import Lab
import Testing

@testable import Posix

/// Real files in a folder of the test's own.
@Suite(.timeLimit(.minutes(3)))
struct DirectoryWatchTests {
    private let temporary: TemporaryFolder
    private var folder: URL { URL(filePath: temporary.path, directoryHint: .notDirectory) }

    init() throws {
        temporary = try TemporaryFolder()
        try temporary.makeFolder("etc")
    }

    private var file: URL { folder.appending(path: "etc/resolv.conf") }

    private func write(_ text: String, to url: URL) throws {
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    /// Whether something that concerns the files has happened: inotify tells before the writer's call returns.
    private func isTold(_ watch: DirectoryWatch) -> Bool {
        Poll.wait(for: watch.number, upTo: .zero) && watch.drain()
    }

    @Test func `tells of a file that is replaced, and of one that is written in place`() throws {
        try write("nameserver 192.0.2.1\n", to: file)
        let watch = try DirectoryWatch(paths: [file.path()])
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
        let watch = try DirectoryWatch(paths: [file.path()])
        try write("", to: folder.appending(path: "etc/hosts"))
        #expect(!isTold(watch))
    }

    @Test func `tells of a link's target, in a folder that did not exist yet`() throws {
        try FileManager.default.createSymbolicLink(atPath: file.path(), withDestinationPath: "../run/resolve/stub.conf")
        let watch = try DirectoryWatch(paths: [file.path()])
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

    @Test func `tells of what comes, changes, is replaced and goes among the files of a pattern`() throws {
        let watch = try DirectoryWatch(patterns: ["\(folder.path())/etc/*.yml"])
        #expect(!isTold(watch))
        let one = folder.appending(path: "etc/one.yml")
        try Data("a".utf8).write(to: one)
        #expect(isTold(watch), "it came")
        try Data("b".utf8).write(to: one)
        #expect(isTold(watch), "it was written again")
        try write("c", to: one)
        #expect(isTold(watch), "another was renamed to its name")
        try FileManager.default.removeItem(at: one)
        #expect(isTold(watch), "it is gone")
        try Data("a".utf8).write(to: folder.appending(path: "etc/one.txt"))
        try Data("a".utf8).write(to: folder.appending(path: "etc/.one.yml"))
        #expect(!isTold(watch), "neighbours are none of them")
    }

    @Test func `tells of a folder that comes later, and of one that is replaced as a whole`() throws {
        let watch = try DirectoryWatch(patterns: ["\(folder.path())/later/*.yml"])
        let later = folder.appending(path: "later")
        try FileManager.default.createDirectory(at: later, withIntermediateDirectories: false)
        #expect(isTold(watch))
        try write("", to: later.appending(path: "one.yml"))
        #expect(isTold(watch))
        try FileManager.default.moveItem(at: later, to: folder.appending(path: "old"))
        #expect(isTold(watch))
        try FileManager.default.createDirectory(at: later, withIntermediateDirectories: false)
        #expect(isTold(watch))
        try write("", to: later.appending(path: "two.yml"))
        #expect(isTold(watch))
    }

    @Test func `a pattern may have wildcards in its folders`() throws {
        let watch = try DirectoryWatch(patterns: ["\(folder.path())/*/one"])
        let new = folder.appending(path: "new")
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        #expect(isTold(watch))
        try write("", to: new.appending(path: "one"))
        #expect(isTold(watch))
    }

    @Test func `what is a folder to one pattern may be a file to another`() throws {
        let new = folder.appending(path: "new")
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        let watch = try DirectoryWatch(patterns: ["\(new.path())/one", new.path()])
        // It is created, and nothing is written in it.
        try FileManager.default.createDirectory(
            at: new.appending(path: "one"),
            withIntermediateDirectories: false
        )
        #expect(isTold(watch))
    }

    @Test func `a link to itself is no trouble`() throws {
        try FileManager.default.createSymbolicLink(atPath: file.path(), withDestinationPath: "resolv.conf")
        let watch = try DirectoryWatch(paths: [file.path()])
        try FileManager.default.removeItem(at: file)
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
