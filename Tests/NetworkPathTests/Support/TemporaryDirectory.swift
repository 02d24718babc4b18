import Foundation

/// A directory that goes when its owner does; files are created with their folders.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "nhe-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to file: String) throws {
        try folder((file as NSString).deletingLastPathComponent)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
    }

    func folder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    func link(_ name: String, to target: String) throws {
        try folder((name as NSString).deletingLastPathComponent)
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }
}
