/// Why a test, or a direction of it, has no value.
package struct SpeedTestFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable {
        /// No address, no route, no open port, no TLS.
        case unreachable
        /// Nothing in time.
        case timeout
        /// The connection ended midway.
        case reset
        /// An answer that says no, or that is none of the protocol.
        case status
        /// Too little was measured, or bodies were shorter than said.
        case short
        /// Credentials or a consent are missing.
        case auth
        /// Somebody stopped it.
        case cancelled
    }

    package var reason: Reason
    /// For people: what was asked of whom, and what came.
    package var message: String
    /// When the server said that it may be asked again (Retry-After), from the failure on.
    package var retryAfter: Duration?

    package init(_ reason: Reason, _ message: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }

    package var description: String { message }
}
