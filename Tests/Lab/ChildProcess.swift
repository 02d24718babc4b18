package import Glibc
import Locking

/// A program that runs beside the test, killed at the latest when its last owner lets it go.
package final class ChildProcess: Sendable {
    /// Which of its two streams the test reads.
    package enum Stream {
        case output, errors
    }

    package let id: pid_t
    /// One end of a connection; the other is its input and the stream that is read.
    private let channel: Int32
    private let status = Locked<Int32?>(nil)

    /// Starts a program that is found on the PATH; `readLine` reads one of its streams, the other is thrown away.
    ///
    /// An environment is all its variables; nil: those of this process.
    package init(_ arguments: [String], environment: [String: String]? = nil, reading stream: Stream = .output) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw CommandFailure(description: "socketpair: errno \(errno)")
        }
        defer { close(ends[1]) }
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        channel = ends[0]
        do {
            id = try spawn(
                arguments,
                environment: environment,
                input: ends[1],
                output: stream == .output ? ends[1] : nowhere,
                errors: stream == .errors ? ends[1] : nowhere
            )
        } catch {
            close(channel)
            throw error
        }
    }

    deinit {
        end()
        close(channel)
    }

    /// Kills it and waits until it is gone.
    package func end() {
        status.withLock { status in
            guard status == nil else { return }
            kill(id, SIGKILL)
            status = reap(id)
        }
    }

    /// Waits for its own end; its exit status, or minus the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        status.withLock { status in
            let known = status ?? reap(id)
            status = known
            return known
        }
    }

    /// Sends it a line.
    package func send(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        // Shorter than any buffer.
        _ = Glibc.send(channel, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits for a line of what it prints; nil when it has closed that before.
    package func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(channel, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
