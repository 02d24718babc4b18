import Glibc
package import HTTPTransfer
import Posix

/// Why a probe failed: the closed list of the label `reason`.
package enum ProbeFailure: String, Error, Sendable, CaseIterable {
    /// The name has no address, or no name server answered.
    case resolve
    case refused
    /// No route, by the kernel of this host or an ICMP error of a router.
    case unreachable
    case timeout
    case tls
    /// The answer violates the protocol, or the connection was reset.
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
    /// A limit of this machine, such as its number of descriptors, or a process that did not run; not a failure of the
    /// target and not a loss.
    case local
}

extension ProbeFailure {
    /// What any probe of a host can meet: the path to it, and this machine.
    static let ofPath: Set<ProbeFailure> = [.resolve, .unreachable, .timeout, .noInterface, .local]
    /// What a request over HTTP can meet.
    static let ofRequests: Set<ProbeFailure> = ofPath.union([.refused, .tls, .protocolViolation, .status, .body])

    /// In the order of the closed list, with those that were counted.
    package static func listed(_ possible: Set<ProbeFailure>, _ counted: [ProbeFailure: UInt64]) -> [ProbeFailure] {
        allCases.filter { possible.contains($0) || counted[$0] != nil }
    }

    /// Maps the errno of a system call on a probe's socket.
    init(errno code: Int32) {
        self =
            switch code {
            case ECONNREFUSED: .refused
            case ETIMEDOUT: .timeout
            case ENODEV, ENXIO: .noInterface
            case ECONNRESET, ECONNABORTED, EPIPE, EPROTO: .protocolViolation
            case _ where SystemError.isLocalLimit(code): .local
            // No route, a rule of the routing table or of a firewall, or an unsupported family: an error of this host's
            // kernel, or an ICMP error that it passes on.
            default: .unreachable
            }
    }
}

extension ProbeFailure {
    /// Maps the error of a transfer; nil if this process ended it.
    package init?(_ error: TransferError) {
        switch error.reason {
        case .resolve: self = .resolve
        case .refused: self = .refused
        case .unreachable, .forbidden: self = .unreachable
        case .local: self = .local
        case .timeout where error.statistics.isLate: self = .local
        // No name server answered.
        case .timeout: self = error.phase == .resolve ? .resolve : .timeout
        case .tls: self = .tls
        // In phase tls, a certificate or key file that cannot be read; else a URL or header that HTTP does not allow.
        case .invalidRequest: self = error.phase == .tls ? .tls : .protocolViolation
        case .protocolViolation, .aborted: self = .protocolViolation
        case .cancelled, .stopped: return nil
        }
    }
}
