package import Glibc
import Posix

/// Sets this process's soft limit of open files; for a test in a process of its own.
package func limitDescriptors(to count: rlim_t) throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limits = rlimit()
    guard getrlimit(resource, &limits) == 0 else { throw SystemError(call: "getrlimit", code: errno) }
    limits.rlim_cur = count
    guard setrlimit(resource, &limits) == 0 else { throw SystemError(call: "setrlimit", code: errno) }
}

/// Opens descriptors until the next one has a number from `start` on, and returns them.
package func fillDescriptors(below start: Int32) -> [Int32] {
    var open: [Int32] = []
    while true {
        let number = dup(0)
        guard number >= 0, number < start else {
            close(number)
            return open
        }
        open.append(number)
    }
}
