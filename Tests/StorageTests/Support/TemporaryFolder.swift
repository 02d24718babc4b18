import Foundation

/// A folder that is gone when its owner lets it go.
final class TemporaryFolder: Sendable {
    let path: String

    /// Every user may write in it, if so wanted.
    init(mode: Int = 0o755) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("nhe-storage-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Where a database of these tests lies.
    var file: String { "\(path)/test.db" }

    /// What lies in it.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// The content of a file in it.
    func bytes(_ name: String = "test.db") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    /// Writes a file in it, by default as a database has to be: for its owner alone.
    func write(_ bytes: some Sequence<UInt8>, _ name: String = "test.db", mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        try setMode(mode, name)
    }

    /// Sets the permissions of a file in it.
    func setMode(_ mode: Int, _ name: String = "test.db") throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }

    /// The permissions of a file in it.
    func mode(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return attributes[.posixPermissions] as? Int
    }
}
