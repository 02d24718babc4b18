import Glibc

/// A file descriptor with one owner, closed when its owner lets it go.
package struct Descriptor: ~Copyable, Sendable {
    /// The number that system calls take; valid only as long as this value lives.
    package let number: Int32

    /// Takes ownership of what a system call returned; a negative number becomes the error in `errno`.
    package init(owning number: Int32, from call: String) throws(SystemError) {
        guard number >= 0 else { throw SystemError(call: call, code: errno) }
        self.number = number
    }

    deinit { _ = close(number) }
}
