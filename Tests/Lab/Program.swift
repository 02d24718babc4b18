import CLab
import Coordination
import Foundation
import Glibc
import Posix

/// A program that runs beside the test, killed at the latest when its last owner lets it go.
package final class Program: Sendable {
    /// Where it writes to.
    package enum Stream {
        case output, errors
    }

    struct State {
        /// As `reap` returns it; nil while it runs.
        var status: Int32?
        /// How much of each stream `readLine` has read.
        var read: [Stream: off_t] = [:]
    }

    package let command: [String]
    package let identifier: Int32
    /// What `send` writes to; -1 where the input is a text.
    let channel: Int32
    // In memory: nothing waits for a reader.
    let outputFile: Descriptor
    let errorsFile: Descriptor
    let state = Locked(State())

    /// Starts it; one that is not installed is an error.
    ///
    /// It inherits this process's environment but for the exporter's own variables, and no descriptor.
    ///
    /// - Parameters:
    ///   - command: the program, found on the PATH, and its arguments.
    ///   - environment: further variables.
    ///   - input: what it reads; nil: what `send` writes.
    ///   - output: a descriptor to write to in the place of `output`.
    ///   - errors: the same for `errors`.
    /// - Throws: `Failure` or `SystemError`.
    package init(
        _ command: [String],
        environment: [String: String] = [:],
        input: String? = "",
        output: Int32? = nil,
        errors: Int32? = nil
    ) throws {
        self.command = command
        outputFile = try memoryFile()
        errorsFile = try memoryFile()
        let executable = try Self.find(command[0])
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("NHE_") && $0.key != "DEBUG_MODE" && !$0.key.hasPrefix("LISTEN_")
        }
        var ends: [Int32] = [-1, -1]
        if input == nil {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError(call: "socketpair", code: errno) }
        }
        channel = ends[0]
        do {
            let read: Descriptor
            if let input {
                read = try memoryFile(input)
            } else {
                read = try Descriptor(owning: ends[1], from: "socketpair")
            }
            identifier = try spawn(
                [executable] + command.dropFirst(),
                environment: inherited.merging(environment) { $1 },
                input: read.number,
                output: output ?? outputFile.number,
                errors: errors ?? errorsFile.number
            )
        } catch {
            close(channel)
            throw error
        }
        Leftovers.add(identifier)
    }

    deinit {
        end()
        close(channel)
    }

    /// Whether a program is installed, for the few that may be replaced by another.
    package static func isInstalled(_ name: String) -> Bool { (try? find(name)) != nil }

    /// Where a program is installed.
    private static func find(_ name: String) throws -> String {
        if name.contains("/") { return name }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
            throw Failure(description: "\(name) is not installed: run scripts/packages test")
        }
        return "\(folder)/\(name)"
    }

    /// Its exit status, or minus the signal that ended it; nil while it runs.
    package var ended: Int32? { state.withLock { state in known(&state, WNOHANG) } }

    package var isRunning: Bool { ended == nil }

    /// Sends it a signal while it runs.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if known(&state, WNOHANG) == nil { kill(identifier, number) }
        }
    }

    /// Waits for its own end; returns what `ended` is then.
    @discardableResult
    package func wait() -> Int32 { state.withLock { state in known(&state, 0) ?? -1 } }

    /// Kills it and waits until it is gone.
    package func end() {
        signal(SIGKILL)
        wait()
    }

    private func known(_ state: inout State, _ options: Int32) -> Int32? {
        if state.status == nil, let status = reap(identifier, options) {
            state.status = status
            Leftovers.remove(identifier)
        }
        return state.status
    }
}

/// A file in memory with a text to be read, or to be written.
private func memoryFile(_ text: String = "") throws -> Descriptor {
    let file = try Descriptor(owning: nhe_memory_file(), from: "memfd_create")
    // Several threads may write at once: the kernel locks the offset of files that were opened only (FMODE_ATOMIC_POS), and of
    // these writes some would overwrite others.
    guard fcntl(file.number, F_SETFL, O_APPEND) == 0 else { throw SystemError(call: "fcntl", code: errno) }
    try FileHandle(fileDescriptor: file.number).write(contentsOf: Data(text.utf8))
    lseek(file.number, 0, SEEK_SET)
    return file
}
