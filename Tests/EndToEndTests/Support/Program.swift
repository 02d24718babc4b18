import Foundation
import Glibc
import Lab

/// A program that runs beside the test, with its output in files.
final class Program {
    let command: [String]
    let identifier: pid_t
    private let folder: TemporaryFolder
    /// What waitpid(2) said; nil while it runs.
    private var ended: Int32?

    /// Starts it; a program that is not installed is an error.
    ///
    /// It inherits this process's environment but for the exporter's own variables, and no descriptor; `output` and
    /// `errors` are descriptors to write to in the place of the files.
    init(
        _ command: [String],
        environment: [String: String] = [:],
        input: String = "",
        output: Int32? = nil,
        errors: Int32? = nil
    ) throws {
        self.command = command
        folder = try TemporaryFolder()
        let executable = try Self.find(command[0])
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("NHE_") && $0.key != "DEBUG_MODE" && !$0.key.hasPrefix("LISTEN_")
        }
        let variables = inherited.merging(environment) { $1 }
        let descriptors = try [
            Self.open(try folder.write("in", input), O_RDONLY),
            Self.open("\(folder.path)/out", O_WRONLY | O_CREAT | O_APPEND),
            Self.open("\(folder.path)/err", O_WRONLY | O_CREAT | O_APPEND),
        ]
        defer { for descriptor in descriptors { close(descriptor) } }
        identifier = try spawn(
            [executable] + command.dropFirst(),
            environment: variables,
            input: descriptors[0],
            output: output ?? descriptors[1],
            errors: errors ?? descriptors[2]
        )
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

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(description: "\(path): errno \(errno)") }
        return descriptor
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
