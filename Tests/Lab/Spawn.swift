import CLab
import Coordination
import Foundation
import Glibc

/// Held while a child starts, which has copies of this process's descriptors until it closes them.
private let starting = Locked(())

/// Runs what a copy of a descriptor in a child that starts would disturb, while none starts.
///
/// A file whose last descriptor was closed here may still be open in such a child.
package func whileNoChildStarts<Value>(_ body: () throws -> sending Value) rethrows -> Value {
    try starting.withLock { _ in try body() }
}

/// Starts a program with three descriptors, and no other of this process's.
///
/// By posix_spawn(3): Foundation's `Process` was seen to miss the end of a child.
func spawn(
    _ arguments: [String],
    environment: [String: String],
    input: Int32,
    output: Int32,
    errors: Int32
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [input, output, errors].enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    nhe_inherit_nothing(&actions)
    // Threads of the pool block signals; their children must not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var id = pid_t()
    let code = starting.withLock { _ in posix_spawn(&id, arguments[0], &actions, &attributes, &argv, &envp) }
    guard code == 0 else {
        throw Failure(description: "\(arguments[0]): \(String(cString: strerror(code)))")
    }
    return id
}

/// Its exit status, or minus the signal that ended it; nil where it runs and the options are WNOHANG.
func reap(_ id: pid_t, _ options: Int32) -> Int32? {
    var status: Int32 = -1
    var found: pid_t
    repeat { found = waitpid(id, &status, options) } while found < 0 && errno == EINTR
    guard found != 0 else { return nil }
    // WIFSIGNALED and WEXITSTATUS of <sys/wait.h>, which Swift cannot import.
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : -signal
}
