import Coordination
import Glibc
import Posix

extension Program {
    /// Sends it a line.
    package func send(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        // Shorter than any buffer.
        _ = Glibc.send(channel, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What it wrote so far.
    package var output: String { String(decoding: bytes(of: .output, from: 0), as: UTF8.self) }
    package var errors: String { String(decoding: bytes(of: .errors, from: 0), as: UTF8.self) }

    /// Waits for the next line that it writes; nil when it has ended without.
    ///
    /// One that writes nothing for `limit` is killed: a thread that waits here cannot be cancelled.
    package func readLine(of stream: Stream = .output, within limit: Duration = .seconds(120)) -> String? {
        let deadline = ContinuousClock.now + limit
        while true {
            // What it wrote before its end is read below.
            let hasEnded = !isRunning
            if let line = nextLine(of: stream) { return line }
            if hasEnded { return nil }
            if ContinuousClock.now >= deadline { end() }
            usleep(1000)  // a file that grows has no event here
        }
    }

    private func nextLine(of stream: Stream) -> String? {
        state.withLock { state in
            let start = state.read[stream, default: 0]
            let text = bytes(of: stream, from: start)
            guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            state.read[stream] = start + off_t(end) + 1
            return String(decoding: text[..<end], as: UTF8.self)
        }
    }

    private func bytes(of stream: Stream, from start: off_t) -> [UInt8] {
        let file = stream == .output ? outputFile.number : errorsFile.number
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(file, &buffer, buffer.count, start + off_t(found.count))
            guard count > 0 else { return found }
            found += buffer.prefix(count)
        }
    }
}
