import HTTPTransfer

/// What one probe of a round tells about the internet.
enum ProbeOutcome: Sendable, Equatable {
    /// The one answer that only the real server gives.
    case success
    /// An answer of somebody who stands between.
    case portal
    /// - Parameters:
    ///   - failure: why.
    ///   - phase: how far a transfer came; nil for a probe that is none, or an answer that is wrong.
    case failed(_ failure: ProbeFailure, phase: TransferError.Phase? = nil)

    /// nil: it succeeded.
    var failure: ProbeFailure? {
        switch self {
        case .success: nil
        case .portal: .portal
        case .failed(let failure, _): failure
        }
    }

    /// Whether it ended before there was an address to ask.
    var isUnresolved: Bool {
        guard case .failed(_, phase: .resolve) = self else { return false }
        return true
    }

    /// Whether somebody's answer arrived, if a wrong one: more than a router or a firewall of this network says.
    var isAnswered: Bool {
        switch failure {
        case .resolve, .refused, .unreachable, .timeout, .noInterface, .local: false
        case nil, .tls, .protocolViolation, .status, .body, .rcode, .portal: true
        }
    }
}
