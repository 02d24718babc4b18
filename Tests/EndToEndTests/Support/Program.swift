import Foundation
import Glibc

/// A program that runs beside the test, with its output in files.
///
/// By posix_spawn(3): Foundation's `Process` was seen to miss the end of a child.
final class Program {
    let command: [String]
    let identifier: pid_t
    private let folder: TemporaryFolder
    /// What waitpid(2) said; nil while it runs.
    private var ended: Int32?

    /// Starts it; a program that is not installed is an error.
    ///
    /// It inherits this process's environment but for the exporter's own variables, and no descriptor.
    init(_ command: [String], environment: [String: String] = [:], input: String = "") throws {
        self.command = command
        folder = try TemporaryFolder()
        let executable = try Self.find(command[0])
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("NHE_") && $0.key != "DEBUG_MODE" && !$0.key.hasPrefix("LISTEN_")
        }
        let variables = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let create = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, try folder.write("in", input), O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "\(folder.path)/out", create, 0o644)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "\(folder.path)/err", create, 0o644)
        // Those that are not open are no error; Swift does not see closefrom.
        for descriptor in 3..<Int32(256) { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var child: pid_t = 0
        let code = withCStrings(command) { arguments in
            withCStrings(variables) { posix_spawn(&child, executable, &actions, nil, arguments, $0) }
        }
        guard code == 0 else { throw Failure(description: "cannot start \(executable): errno \(code)") }
        identifier = child
    }

    deinit {
        guard isRunning else { return }
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }

    var isRunning: Bool {
        var status: Int32 = 0
        if ended == nil, waitpid(identifier, &status, WNOHANG) == identifier { ended = status }
        return ended == nil
    }

    /// What it wrote to stdout so far.
    var output: String { text("out") }
    /// What it wrote to stderr so far.
    var errors: String { text("err") }

    func signal(_ number: Int32) {
        if isRunning { kill(identifier, number) }
    }

    /// Waits for its end and returns its status; minus the signal's number if one ended it.
    func status(within limit: Duration = .seconds(20)) async throws -> Int32 {
        let status = try await poll("the end of \(command.joined(separator: " "))", within: limit) {
            isRunning ? nil : ended
        }
        // WIFSIGNALED and WEXITSTATUS of <sys/wait.h>, which Swift cannot import.
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    private func text(_ file: String) -> String {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(file)"))).map {
            String(decoding: $0, as: UTF8.self)
        }
            ?? ""
    }

    /// Where a program is installed.
    private static func find(_ name: String) throws -> String {
        if name.contains("/") { return name }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
            throw MissingProgram(description: "\(name) is not installed: run scripts/packages test")
        }
        return "\(folder)/\(name)"
    }

    /// Whether a program is installed, for the few that may be replaced by another.
    static func isInstalled(_ name: String) -> Bool { (try? find(name)) != nil }
}

/// A test needs a program that is not there.
struct MissingProgram: Error, CustomStringConvertible {
    let description: String
}

/// Strings as C wants an argument list: pointers, and nil at the end.
private func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return body(copies)
}
