package import Foundation
import Glibc
import Posix

/// A folder that is gone with its last owner, and at the latest with the process.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// By default other users may read what lies in it.
    package init(mode: mode_t = 0o755) throws {
        path = "\(try Leftovers.folder.get())/\(UUID().uuidString.prefix(8))"
        guard mkdir(path, mode) == 0, chmod(path, mode) == 0 else {
            throw SystemError(call: "mkdir \(path)", code: errno)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of what is called so in it.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, making the folders between, and returns its path.
    @discardableResult
    package func write(_ name: String, _ content: some DataProtocol) throws -> String {
        if let slash = name.lastIndex(of: "/") { try makeFolder(String(name[..<slash])) }
        try Data(content).write(to: URL(filePath: file(name)))
        return file(name)
    }

    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }

    /// Makes a folder, and those between; returns its path.
    @discardableResult
    package func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
        return file(name)
    }
}
