package import Posix

/// Why a netlink operation failed.
package enum NetlinkError: Error, Equatable, CustomStringConvertible {
    /// Bytes end before `what` does; the offset counts from the start of what was parsed.
    case truncated(what: String, offset: Int)
    /// `what` contradicts itself or the kernel's own rules at that offset.
    case malformed(what: String, offset: Int)
    /// The kernel refused a request; the text is its extended acknowledgement where it gave one.
    case kernel(errno: Int32, text: String?)
    /// The kernel dropped messages because they were not read in time (ENOBUFS): the tables must be read again.
    case overrun
    /// A message was larger than the receive buffer and is lost; the buffer has grown for the next one.
    case oversized(bytes: Int)
    /// A system call failed.
    case system(SystemError)
    /// The kernel did not answer a request in time.
    case timeout
    /// The answer to a request is of a type that no such answer has.
    case unexpected(type: Int)

    package var description: String {
        switch self {
        case .truncated(let what, let offset): "netlink: \(what) ends early at byte \(offset)"
        case .malformed(let what, let offset): "netlink: \(what) is malformed at byte \(offset)"
        case .kernel(let errno, let text):
            "netlink: the kernel returned \(SystemError.message(errno)) (errno \(errno))"
                + (text.map { ": \($0)" } ?? "")
        case .overrun: "netlink: messages were lost, the receive buffer was full"
        case .oversized(let bytes): "netlink: a message of \(bytes) bytes was larger than the receive buffer"
        case .system(let error): "netlink: \(error)"
        case .timeout: "netlink: no answer from the kernel in time"
        case .unexpected(let type): "netlink: unexpected answer of type \(type)"
        }
    }
}
