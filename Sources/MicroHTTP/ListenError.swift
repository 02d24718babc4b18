import Posix

/// Why the server cannot listen or start: `cannot listen on 127.0.0.1:80: Permission denied (errno 13)`.
public struct ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What could not be done, to what, and why.
    public let description: String
    /// The errno; nil where no system call failed.
    public let errorNumber: Int32?

    init(_ description: String, errorNumber: Int32? = nil) {
        self.description = description
        self.errorNumber = errorNumber
    }

    /// For an address and the call that failed.
    init(_ address: String, _ code: Int32) {
        self.init("cannot listen on \(address): \(SystemError.message(code)) (errno \(code))", errorNumber: code)
    }
}
