import Glibc
import Posix

/// A pipe that a test reads only when it asks for what was written.
package final class TestPipe {
    private let writingEnd: Descriptor
    /// nil: the read end is closed.
    private var readingEnd: Descriptor?

    /// The number of its write end; valid only as long as this value lives.
    package var writing: Int32 { writingEnd.number }

    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
        readingEnd = try Descriptor(owning: ends[0], from: "pipe")
        writingEnd = try Descriptor(owning: ends[1], from: "pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    }

    /// Closes the read end: each write fails from now on.
    package func endReading() { readingEnd = nil }

    /// Writes line feeds until it takes no more.
    package func fill() throws {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let piece = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        while write(writing, piece, piece.count) > 0 {}
        guard errno == EAGAIN else { throw SystemError(call: "write", code: errno) }
        _ = fcntl(writing, F_SETFL, 0)
    }

    /// The lines that were written since the last time, each with its line feed; without a wait.
    package func lines() -> [String] {
        guard let number = readingEnd?.number else { return [] }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(number, &piece, piece.count), count > 0 { bytes += piece.prefix(count) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { "\($0)\n" }
    }
}
