/// A transfer that brought no complete answer.
package struct TransferError: Error, Sendable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable {
        /// The name has no address, or no server answered.
        case resolve
        /// The port is closed (RST).
        case refused
        /// No way there: no route, host unreachable, or the device is gone.
        case unreachable
        /// A limit of this machine: descriptors, memory, ports or lookups have run out, or this process ran too late to connect.
        case local
        /// The deadline passed, in `phase`.
        case timeout
        /// The handshake or the verification failed.
        case tls
        /// What came was no HTTP, was cut short, or the connection was reset midway.
        case protocolViolation
        /// The rule of `mayConnect` refused every address.
        case forbidden
        /// The request itself cannot be made: its URL, a file of its TLS settings.
        case invalidRequest
        case cancelled
        /// The sink or the body threw.
        case aborted
        /// The loop was stopped.
        case stopped
    }

    /// Where a transfer was when it ended.
    package enum Phase: String, Sendable, CaseIterable {
        case resolve, connect, tls, processing, transfer
    }

    /// How a connection ended before the answer was whole.
    package enum Cut: String, Sendable {
        /// In order, but the body was shorter than said.
        case short
        /// By a reset, or without any answer.
        case reset
    }

    /// Why the certificate of the server was not accepted.
    package enum Distrust: String, Sendable {
        case notYetValid, expired
        /// An unknown authority, another name, a revocation.
        case other
    }

    package var reason: Reason
    package var phase: Phase
    /// For people: the message of the library, with the host.
    package var message: String
    package var statistics = TransferStatistics()
    /// Where a `protocolViolation` is the connection's early end.
    package var cut: Cut?
    /// Where `tls` is a certificate that was not accepted; nil: the handshake itself failed.
    package var distrust: Distrust?

    package init(_ reason: Reason, phase: Phase, message: String) {
        self.reason = reason
        self.phase = phase
        self.message = message
    }

    package var description: String { "\(reason.rawValue) while in \(phase.rawValue): \(message)" }
}
