import CThreads
import Glibc
import Posix

/// What the service needs of this machine, checked at its start: a thread or descriptor that is missing later ends it in the
/// middle of its work, and libdispatch waits for ever for threads of its own.
enum StartLimits {
    /// Threads of the service's own: 13 loops, a speed test's two, three lookups, and libdispatch's thread for events.
    private static let ownThreads = 19
    /// The most that `nhe_try_threads` tries.
    private static let mostTried = 1024

    /// Those, and one for each processor, of which Swift's pool has as many threads; no more than are tried.
    static func threads(processors: Int) -> Int { min(mostTried, ownThreads + max(1, processors)) }

    /// - Throws: which limit has to be raised.
    static func check() throws(StartLimitError) {
        let limit = DescriptorReserve().limit
        guard limit >= DescriptorReserve.minimum else { throw .descriptors(limit) }
        let threads = threads(processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let started = Int(nhe_try_threads(Int32(clamping: threads)))
        let code = errno
        guard started >= threads else { throw .threads(started, of: threads, code: code) }
    }
}

/// A limit of this machine that is too low for the service.
enum StartLimitError: Error, Equatable, CustomStringConvertible {
    case descriptors(Int32)
    case threads(Int, of: Int, code: Int32)

    var description: String {
        switch self {
        case .descriptors(let limit):
            """
            the limit of open files (RLIMIT_NOFILE) is \(limit), and at least \(DescriptorReserve.minimum) are needed: raise it \
            (ulimit -Hn, LimitNOFILE=, --ulimit nofile=)
            """
        case .threads(let started, let needed, let code):
            """
            only \(started) of \(needed) more threads can be started: \(SystemError.message(code)) (errno \(code)). Raise the limit of \
            processes and threads: RLIMIT_NPROC of the user (ulimit -u, LimitNPROC=), or that of the unit or container \
            (TasksMax=, --pids-limit)
            """
        }
    }
}
