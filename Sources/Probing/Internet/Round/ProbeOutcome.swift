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

extension ProbeOutcome {
    /// Judges the answer to a request whose answer is known beforehand.
    ///
    /// A portal redirects, shows a page, or says so (511, RFC 6585). A transparent proxy without an upstream answers 200
    /// with next to nothing; it has no login to offer and is a failure, as is an error status, which is its server's.
    init(_ response: TransferResponse, expecting expectation: InternetConfiguration.Expectation) {
        let isSuccessful = 200..<300 ~= response.status
        switch (expectation, response.status) {
        case (.status(let expected), let status) where status == expected: self = .success
        case (.bodyPrefix(let prefix), _) where isSuccessful && response.body.starts(with: prefix.utf8): self = .success
        case (_, 300..<400), (_, 511): self = .portal
        case (.status, _) where isSuccessful && response.bodyLength > 4: self = .portal
        case (.bodyPrefix, _) where isSuccessful && response.bodyLength > 0: self = .portal
        case (.bodyPrefix, _) where isSuccessful: self = .failed(.body)
        default: self = .failed(.status)
        }
    }

    /// nil: the transfer was given up by us, which tells nothing.
    init?(_ error: TransferError) {
        let failure: ProbeFailure? =
            switch error.reason {
            case .resolve: .resolve
            case .refused: .refused
            case .unreachable, .forbidden: .unreachable
            case .local: .local
            case .timeout: .timeout
            case .tls: .tls
            case .protocolViolation, .invalidRequest: .protocolViolation
            case .cancelled, .aborted, .stopped: nil
            }
        guard let failure else { return nil }
        self = .failed(failure, phase: error.phase)
    }
}

extension TransferResponse {
    /// What the server announced, or what came of it, whichever is more.
    fileprivate var bodyLength: Int {
        max(body.count, header("Content-Length").flatMap { Int($0) } ?? 0)
    }
}
