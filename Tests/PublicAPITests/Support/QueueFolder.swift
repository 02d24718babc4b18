import Foundation
import Glibc

/// A folder for a queue's file, removed with its owner.
final class QueueFolder: Sendable {
    private let path: String

    init() {
        var template = Array("/tmp/nhe-public-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? ""
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var file: String { "\(path)/queue.db" }
}
