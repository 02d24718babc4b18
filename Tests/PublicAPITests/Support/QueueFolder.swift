import Glibc

/// A folder for a queue's file, removed with its owner.
final class QueueFolder: Sendable {
    private let path: String

    init() {
        var template = Array("/tmp/nhe-public-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? ""
    }

    deinit {
        for name in [file, "\(file)-wal", "\(file)-shm", "\(file).lock"] { unlink(name) }
        rmdir(path)
    }

    var file: String { "\(path)/queue.db" }
}
