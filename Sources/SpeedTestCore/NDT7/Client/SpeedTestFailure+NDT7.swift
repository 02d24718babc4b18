import HTTPTransfer

extension SpeedTestFailure {
    /// What a connection that could not be made, or broke, means for a test.
    init(connection error: TransferError) {
        let reason: Reason =
            switch error.reason {
            case .resolve, .refused, .unreachable, .local, .tls, .forbidden, .invalidRequest: .unreachable
            case .timeout: .timeout
            case .protocolViolation, .aborted: .reset
            case .cancelled, .stopped: .cancelled
            }
        self.init(reason, error.message)
    }

    /// What a refusal of an ndt7 server or of a locate service means.
    ///
    /// - Parameters:
    ///   - status: of HTTP.
    ///   - host: who answered.
    ///   - retryAfter: the header of that name; only a number of seconds counts.
    init(ndt7Status status: Int, host: String, retryAfter: String?) {
        switch status {
        case 401, 403: self.init(.auth, "\(host) answered \(status): it wants credentials, or refuses us")
        case 204, 429, 503:
            // M-Lab asks for 60 s at first, twice as long after each further refusal: the scheduler's part.
            let seconds = retryAfter.flatMap { Int64($0) } ?? 0
            let wait = Duration.seconds(min(max(60, seconds), 86_400))
            self.init(.status, "\(host) answered \(status): it has no room for a test now", retryAfter: wait)
        default: self.init(.status, "\(host) answered \(status)")
        }
    }
}
