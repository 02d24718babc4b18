import Coordination
import Glibc

/// Where the lines of the log go.
///
/// A reader that has stopped, such as a log driver whose disk is full, or a terminal after Ctrl-S, must not hold up the server
/// and the probes: lines that would have to wait are left out, and counted.
final class LogOutput: Sendable {
    static let standardError = LogOutput(STDERR_FILENO)

    private let descriptor: Int32
    /// Lines that were left out since the last one.
    private let missing = Locked(0)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line in one call to write(2), so that lines of several threads do not mix.
    ///
    /// - Parameters:
    ///   - line: With its line feed. A pipe takes up to 4096 bytes without a wait where it takes any (PIPE_BUF, pipe(7)).
    ///   - notice: What is written before it where so many were left out.
    func write(_ line: String, notice: (Int) -> String) {
        missing.withLock { missing in
            // Also where the reader has gone: the write fails at once then.
            guard isReady else {
                missing += 1
                return
            }
            if missing > 0 {
                put(notice(missing))
                missing = 0
                guard isReady else {
                    missing = 1
                    return
                }
            }
            put(line)
        }
    }

    private var isReady: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, 0) != 0
    }

    private func put(_ line: String) {
        var line = line
        line.withUTF8 { bytes in _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
    }
}
