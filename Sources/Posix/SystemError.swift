import Glibc

/// A system call that failed: which one, and the errno it left.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The call, with what it was about where that helps: `bind 127.0.0.1:80`.
    package let call: String
    /// The errno.
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Whether a limit of this machine stood in the way, which says nothing about whoever was to be reached.
    ///
    /// Descriptors, memory, buffers, or addresses and ports of this side have run out.
    package static func isLocalLimit(_ code: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, ENOBUFS, EADDRNOTAVAIL].contains(code)
    }

    package var description: String { "\(call): \(Self.message(code)) (errno \(code))" }

    /// The C library's text for an errno.
    package static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
                return "unknown error"
            }
            return String(cString: base)
        }
    }
}
