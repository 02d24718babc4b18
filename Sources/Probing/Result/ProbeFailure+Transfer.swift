package import HTTPTransfer

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
