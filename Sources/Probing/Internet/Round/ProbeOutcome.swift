import FoundationEssentials
import HTTPTransfer

/// The outcome of one check of a round.
enum ProbeOutcome: Sendable, Equatable {
    /// The answer that only the real server gives.
    case success
    /// The answer of a portal or another interceptor.
    case portal
    /// A server whose certificate is not trusted.
    case untrusted(Distrust)
    /// - Parameters:
    ///   - failure: why.
    ///   - phase: where a transfer ended; nil for other checks and for a wrong answer.
    case failed(_ failure: ProbeFailure, phase: TransferError.Phase? = nil)

    /// nil: it succeeded.
    var failure: ProbeFailure? {
        switch self {
        case .success: nil
        case .portal: .portal
        case .untrusted: .tls
        case .failed(let failure, _): failure
        }
    }

    /// nil: another outcome than a certificate that is not trusted.
    var distrust: Distrust? {
        guard case .untrusted(let distrust) = self else { return nil }
        return distrust
    }

    /// Whether it ended before an address was known.
    var isUnresolved: Bool {
        guard case .failed(_, phase: .resolve) = self else { return false }
        return true
    }

    /// Whether it ended before there was a connection.
    var isUnconnected: Bool {
        guard case .failed(let failure, phase: .connect) = self else { return false }
        return failure != .local
    }

    /// Whether an answer arrived, even a wrong one: more than the error of a router or a firewall of this network.
    var isAnswered: Bool {
        switch failure {
        case .resolve, .refused, .unreachable, .timeout, .noInterface, .local: false
        case nil, .tls, .protocolViolation, .status, .body, .rcode, .portal: true
        }
    }
}

/// Why a certificate is not trusted.
enum Distrust: Sendable, Equatable {
    case notYetValid
    /// nil: the time is unknown.
    case expired(at: Date?)
    /// An unknown authority, another name, a revocation.
    case other

    /// Whether the certificate may be valid, and the clock of this host is wrong.
    ///
    /// - Parameters:
    ///   - skew: this host's clock minus that of a server.
    ///   - now: the time of this host.
    /// - Returns: false where the two clocks agree.
    func isExplained(by skew: Duration, now: Date) -> Bool {
        switch self {
        case .notYetValid: skew < .zero
        case .expired(let date): skew > .zero && date.map { now - skew / .seconds(1) < $0 } ?? true
        case .other: false
        }
    }
}

extension ProbeOutcome {
    /// Judges the answer to a request with a known answer.
    ///
    /// A portal redirects, shows a page or answers 511 (RFC 6585). A transparent proxy without an upstream answers 200
    /// with at most a few bytes: a failure, as is an error status.
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

    /// nil: this process ended the transfer.
    init?(_ error: TransferError) {
        guard error.reason != .aborted, let failure = ProbeFailure(error) else { return nil }
        self =
            switch error.distrust {
            case nil: .failed(failure, phase: error.phase)
            case .notYetValid: .untrusted(.notYetValid)
            case .expired: .untrusted(.expired(at: error.statistics.certificateExpiry))
            case .other: .untrusted(.other)
            }
    }
}

extension TransferResponse {
    /// The announced or the received length, whichever is greater.
    fileprivate var bodyLength: Int {
        max(body.count, header("Content-Length").flatMap { Int($0) } ?? 0)
    }
}
