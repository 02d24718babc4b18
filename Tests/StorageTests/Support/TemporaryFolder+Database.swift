import Foundation
import Lab

extension TemporaryFolder {
    /// Where a database of these tests lies.
    var file: String { file("test.db") }

    /// What lies in it.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// The content of a file in it.
    func bytes(_ name: String = "test.db") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    /// Writes a file in it, by default as a database has to be: for its owner alone.
    func write(_ bytes: some Sequence<UInt8>, _ name: String = "test.db", mode: Int = 0o600) throws {
        try write(name, Data(bytes))
        try setMode(mode, name)
    }

    /// Sets the permissions of a file in it.
    func setMode(_ mode: Int, _ name: String = "test.db") throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    }

    /// The permissions of a file in it.
    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }
}
