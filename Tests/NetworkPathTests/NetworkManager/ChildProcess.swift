import Glibc
import Testing

/// A program that a test runs, ended by its id at the latest when the test lets it go.
final class ChildProcess {
    let id: pid_t
    private let output: Int32
    private var isReaped = false

    /// Starts a program with an environment of its own; `readLine` reads its output.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        // Closed on exec from the start, so that no other test's program inherits an end.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[1]) }
        output = ends[0]

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var id = pid_t()
        let code = posix_spawn(&id, arguments[0], &actions, nil, &argv, &envp)
        if code != 0 { close(output) }
        try #require(code == 0, "\(arguments[0]): \(String(cString: strerror(code)))")
        self.id = id
    }

    deinit {
        end()
        close(output)
    }

    /// Kills it and waits until it is gone.
    func end() {
        guard !isReaped else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        isReaped = true
    }

    /// Waits for its own end; true for exit status 0.
    func succeeds() -> Bool {
        var status: Int32 = -1
        waitpid(id, &status, 0)
        isReaped = true
        return status == 0
    }

    /// Waits for a line of output; nil when the output ended before.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
