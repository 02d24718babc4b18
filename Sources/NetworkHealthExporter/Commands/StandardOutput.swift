import ArgumentParser
import Glibc
import Posix

/// Unbuffered output, so that each line arrives when it is written.
enum StandardOutput {
    /// Writes text that may come from another host, with nothing in it that a terminal acts on.
    ///
    /// - Throws: exit status 1, after the reason was written to stderr; EPIPE needs none.
    static func write(_ text: String) throws(ExitCode) { try write(raw: JSONText.visible(text)) }

    /// Writes text for a program, as it is.
    static func write(raw text: String) throws(ExitCode) {
        let code = writeAll(text, to: STDOUT_FILENO)
        guard code != 0 else { return }
        if code != EPIPE { StandardError.write("Error: stdout: \(SystemError.message(code))\n") }
        throw ExitCode(1)
    }
}

/// Error messages.
enum StandardError {
    /// Writes text that may come from another host, with nothing in it that a terminal acts on.
    static func write(_ text: String) { _ = writeAll(JSONText.visible(text), to: STDERR_FILENO) }

    /// Writes what moves a terminal's cursor.
    static func draw(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }
}

/// Writes everything; returns 0, or the errno of the write that failed.
private func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            written += count
        }
        return 0
    }
}
