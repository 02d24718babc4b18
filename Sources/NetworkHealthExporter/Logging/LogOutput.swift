import Coordination
import Glibc

/// Where the lines of the log go.
///
/// A reader that has stopped, such as a log driver whose disk is full, or a terminal after Ctrl-S, must not hold up the server
/// and the probes: lines that would have to wait are left out, and counted.
final class LogOutput: Sendable {
    private struct State {
        /// Lines that were left out since the last one.
        var missing = 0
        /// Whether the last one was cut, and has no line feed.
        var isCut = false
    }

    static let standardError = LogOutput(reopened(STDERR_FILENO) ?? STDERR_FILENO)

    private let descriptor: Int32
    private let state = Locked(State())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The same pipe or terminal without waits (O_NONBLOCK), which other programs that write to it do not get.
    ///
    /// - Parameter number: of the descriptor.
    /// - Returns: nil for a file or a socket, and where it may not be opened again.
    static func reopened(_ number: Int32) -> Int32? {
        var status = stat()
        guard fstat(number, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else { return nil }
        let new = open("/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return new < 0 ? nil : new
    }

    /// Writes a line in one call to write(2), so that lines of several threads do not mix.
    ///
    /// - Parameters:
    ///   - line: With its line feed.
    ///   - notice: Makes the line that is written before it, given how many were left out.
    func write(_ line: String, notice: (Int) -> String) {
        state.withLock { state in
            if state.missing > 0 {
                guard put((state.isCut ? "\n" : "") + notice(state.missing), &state) else {
                    state.missing += 1
                    return
                }
                state.missing = 0
            }
            if !put(line, &state) { state.missing += 1 }
        }
    }

    /// Returns whether all of it was written.
    private func put(_ text: String, _ state: inout State) -> Bool {
        // A socket, and what could not be opened again, would wait. Also true if the reader has gone: the write then fails at once.
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&polled, 1, 0) != 0 else { return false }
        var text = text
        let (count, size) = text.withUTF8 { (Glibc.write(descriptor, $0.baseAddress, $0.count), $0.count) }
        if count > 0 { state.isCut = count < size }
        return count == size
    }
}
