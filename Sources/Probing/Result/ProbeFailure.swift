import Glibc
package import HTTPTransfer
import Posix

/// Why a probe failed: the closed list of the label `reason`.
package enum ProbeFailure: String, Error, Sendable, CaseIterable {
    /// The name has no address, or nobody could be asked.
    case resolve
    case refused
    /// No way there, by this host's own kernel or an ICMP error of a router.
    case unreachable
    case timeout
    case tls
    /// What came is not what the protocol allows, or the connection was reset midway.
    case protocolViolation = "protocol"
    /// Another HTTP status than expected.
    case status
    /// Another body than expected, or GraphQL errors.
    case body
    /// Another DNS answer than NOERROR with a record of the type.
    case rcode
    /// A captive portal answered.
    case portal
    /// The device to bind to does not exist.
    case noInterface = "no_interface"
    /// A limit of this machine, such as its descriptors: it says nothing about the target and is no loss.
    case local
}

extension ProbeFailure {
    /// What the error of a system call on a probe's socket means.
    init(errno code: Int32) {
        self =
            switch code {
            case ECONNREFUSED: .refused
            case ETIMEDOUT: .timeout
            case ENODEV, ENXIO: .noInterface
            case ECONNRESET, ECONNABORTED, EPIPE, EPROTO: .protocolViolation
            case _ where SystemError.isLocalLimit(code): .local
            // No route, a rule of the routing table or of a firewall, or no such family: all of them are this host's
            // own kernel, or an ICMP error that it passes on.
            default: .unreachable
            }
    }
}

extension ProbeFailure {
    /// What a failed transfer means for whoever probes; nil where it was ended from here and means nothing.
    package init?(_ error: TransferError) {
        switch error.reason {
        case .resolve: self = .resolve
        case .refused: self = .refused
        case .unreachable, .forbidden: self = .unreachable
        case .local: self = .local
        case .timeout: self = .timeout
        case .tls: self = .tls
        // A certificate or key of ours that cannot be read; else a URL or header that HTTP does not allow.
        case .invalidRequest: self = error.phase == .tls ? .tls : .protocolViolation
        case .protocolViolation, .aborted: self = .protocolViolation
        case .cancelled, .stopped: return nil
        }
    }
}
