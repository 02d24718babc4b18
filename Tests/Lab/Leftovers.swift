import Coordination
import Foundation
import Glibc
import Posix

/// What this process would leave behind, since it ends without letting go of static values.
enum Leftovers {
    private static let programs = Locked<Set<pid_t>>([])

    static func add(_ program: pid_t) {
        _ = clearAtExit
        programs.withLock { _ = $0.insert(program) }
    }

    static func remove(_ program: pid_t) { programs.withLock { _ = $0.remove(program) } }

    /// In which its temporary folders lie.
    static let folder: Result<String, any Error> = Result {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/nhe-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, chmod(template, 0o755) == 0 else {
            throw SystemError(call: "mkdtemp", code: errno)
        }
        _ = clearAtExit
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Has programs and folder cleared away at the exit; once.
    private static let clearAtExit: Void = {
        atexit {
            for program in programs.withLock({ $0 }) { kill(program, SIGKILL) }
            if let folder = try? folder.get() { try? FileManager.default.removeItem(atPath: folder) }
        }
    }()
}
