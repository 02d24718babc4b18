import Glibc

/// A file descriptor with one owner, closed at the end of its lifetime.
package struct Descriptor: ~Copyable, Sendable {
    /// The number that system calls take; valid only as long as this value lives.
    package let number: Int32

    /// Takes ownership of what a system call returned; a negative number becomes the error in `errno`.
    package init(owning number: Int32, from call: String) throws(SystemError) {
        guard number >= 0 else { throw SystemError(call: call, code: errno) }
        self.number = number
    }

    deinit { _ = close(number) }

    /// Hands it over to a library that closes it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}

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

    /// Whether a limit of this machine was the cause, which says nothing about the other side.
    ///
    /// Descriptors, memory or buffers have run out. EADDRNOTAVAIL is not among these codes: it means that the free ports of TCP
    /// have run out only where `SocketAddress.hasSource`.
    package static func isLocalLimit(_ code: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(code)
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
