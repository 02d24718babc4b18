import Foundation
import Glibc

/// A control group (cgroups(7)) whose processes are killed where their memory exceeds a limit, as those of a container are.
///
/// Needs root and the memory controller, of either version.
final class MemoryGroup {
    private let folder: String
    private let isSecondVersion: Bool

    init(limit: Int) throws {
        let root = "/sys/fs/cgroup"
        isSecondVersion = FileManager.default.fileExists(atPath: "\(root)/cgroup.controllers")
        let parent = isSecondVersion ? root : "\(root)/memory"
        if isSecondVersion { try Self.write("+memory", "\(root)/cgroup.subtree_control") }
        folder = "\(parent)/nhe-\(getpid())-\(UInt32.random(in: .min ... .max))"
        guard mkdir(folder, 0o755) == 0 else { throw Failure(description: "\(folder): errno \(errno)") }
        try Self.write("\(limit)", "\(folder)/\(isSecondVersion ? "memory.max" : "memory.limit_in_bytes")")
    }

    deinit { rmdir(folder) }

    /// Counts what a process allocates from now on.
    func add(_ process: Int32) throws { try Self.write("\(process)", "\(folder)/cgroup.procs") }

    /// How many processes were killed.
    var kills: Int {
        get throws {
            let path = "\(folder)/\(isSecondVersion ? "memory.events" : "memory.oom_control")"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
            guard let count = line.flatMap({ Int($0.dropFirst("oom_kill ".count)) }) else {
                throw Failure(description: "\(path) has no oom_kill")
            }
            return count
        }
    }

    private static func write(_ text: String, _ path: String) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(description: "\(path): errno \(errno)") }
        defer { close(file) }
        guard Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
            throw Failure(description: "\(path): errno \(errno)")
        }
    }
}
