import Glibc

/// Unbuffered output, for lines that somebody waits for.
enum StandardOutput {
    static func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }
}

/// Where what went wrong is said.
enum StandardError {
    static func write(_ text: String) { writeAll(text, to: STDERR_FILENO) }
}

/// Writes everything, or as much as the reader takes.
private func writeAll(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            written += count
        }
    }
}
