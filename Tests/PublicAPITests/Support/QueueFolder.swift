import Foundation
import Glibc

/// A folder for a queue's file, removed with its owner.
final class QueueFolder: Sendable {
    private let path: String

    init() {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/nhe-public-XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template) else { fatalError("mkdtemp: \(errno)") }
        path = String(cString: folder)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var file: String { "\(path)/queue.db" }
}
