import ArgumentParser
import Glibc
import Posix

/// Unbuffered output, for lines that somebody waits for.
enum StandardOutput {
    /// - Throws: status 1, once the reason is said; a reader that is gone needs none.
    static func write(_ text: String) throws(ExitCode) {
        let code = writeAll(text, to: STDOUT_FILENO)
        guard code != 0 else { return }
        if code != EPIPE { StandardError.write("Error: stdout: \(SystemError.message(code))\n") }
        throw ExitCode(1)
    }
}

/// Where what went wrong is said.
enum StandardError {
    static func write(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }
}

/// Writes everything, or as much as the reader takes; 0, or the errno of what it did not take.
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
