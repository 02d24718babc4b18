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
    ///   - response: of its `Retry-After` only a number of seconds counts.
    ///   - host: who answered.
    init(ndt7 response: SpeedTestResponse, host: String) {
        let answered = "\(host) answered \(response.status)"
        func message(_ otherwise: String) -> String { "\(answered): \(response.sentence ?? otherwise)" }
        switch response.status {
        case 401, 403: self.init(.auth, message("it wants credentials, or refuses us"))
        case 204, 429, 503:
            // M-Lab asks for 60 s at first, twice as long after each further refusal: the scheduler's part.
            let seconds = response.headers["retry-after"].flatMap { Int64($0) } ?? 0
            let wait = Duration.seconds(min(max(60, seconds), 86_400))
            self.init(.status, message("it has no room for a test now"), retryAfter: wait)
        default: self.init(.status, response.sentence.map { "\(answered): \($0)" } ?? answered)
        }
    }
}
