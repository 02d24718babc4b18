import Glibc
import Posix

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
