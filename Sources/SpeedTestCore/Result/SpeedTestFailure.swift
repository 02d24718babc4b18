import FoundationEssentials
import HTTPTransfer

/// Why a test, or a direction of it, has no value.
package struct SpeedTestFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable {
        /// No address, no route, no open port, no TLS.
        case unreachable
        /// No answer in time.
        case timeout
        /// The connection ended midway.
        case reset
        /// A refusal, or an answer that is not of the protocol.
        case status
        /// Too little was measured, or bodies were shorter than announced.
        case short
        /// Credentials or a consent are missing.
        case auth
        /// The test was stopped.
        case cancelled
    }

    package var reason: Reason
    /// For people: the request, its server and the result.
    package var message: String
    /// The server's Retry-After, from the failure on.
    package var retryAfter: Duration?

    package init(_ reason: Reason, _ message: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }

    package var description: String { message }
}

extension SpeedTestFailure {
    /// What a transfer without a whole answer means for a test.
    ///
    /// - Parameters:
    ///   - error: of the transfer.
    ///   - isUpload: the answer is not the load, so that one that was cut is no body that was too short.
    init(_ error: TransferError, isUpload: Bool) {
        self.init(error, violation: error.cut.map { $0 == .short && !isUpload ? .short : .reset } ?? .status)
    }

    /// What a connection that could not be opened, or broke, means for a test.
    init(connection error: TransferError) { self.init(error, violation: .reset) }

    private init(_ error: TransferError, violation: Reason) {
        let reason: Reason =
            switch error.reason {
            case .resolve, .refused, .unreachable, .local, .tls, .forbidden, .invalidRequest: .unreachable
            case .timeout: .timeout
            case .protocolViolation: violation
            case .aborted: .reset
            case .cancelled, .stopped: .cancelled
            }
        self.init(reason, error.message)
    }

    /// The failure for a status other than success; nil for a success.
    init?(refusal response: SpeedTestResponse, of request: SpeedTestRequest) {
        guard !response.isSuccess else { return nil }
        self.init(
            response.status == 401 || response.status == 407 ? .auth : .status,
            "\(request.url) answered with status \(response.status)" + (response.sentence.map { ": \($0)" } ?? ""),
            retryAfter: response.isBusy
                ? response.headers["retry-after"].flatMap { RetryAfter.delay($0, from: Date()) } : nil
        )
    }
}

extension SpeedTestResponse {
    /// The server refuses requests for a while.
    var isBusy: Bool { status == 429 || status == 503 }

    /// The server's message in one line of at most 200 characters; nil without one.
    ///
    /// That is the `error` of a JSON object, or a body of plain text. Characters that a terminal could interpret as a
    /// command are removed.
    var sentence: String? {
        struct Refusal: Decodable { var error: String }
        let text: String
        switch headers["content-type"]?.split(separator: ";").first.map({ $0.lowercased() }) {
        case "application/json":
            guard let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(body)) else { return nil }
            text = refusal.error
        case "text/plain": text = String(decoding: body, as: UTF8.self)
        default: return nil
        }
        let scalars = text.unicodeScalars.prefix(1000).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: " "
            default: scalar
            }
        }
        var line = ""
        line.unicodeScalars.append(contentsOf: scalars)
        let words = line.split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(200))
    }
}

extension SpeedTestFailure {
    /// The failure for a refusal of an ndt7 server or of a locate service.
    ///
    /// - Parameters:
    ///   - response: its `Retry-After` counts only as a number of seconds.
    ///   - host: the server, for the message.
    init(ndt7 response: SpeedTestResponse, host: String) {
        let answered = "\(host) answered \(response.status)"
        func message(_ otherwise: String) -> String { "\(answered): \(response.sentence ?? otherwise)" }
        switch response.status {
        case 401, 403: self.init(.auth, message("it requires credentials, or refuses this client"))
        case 204, 429, 503:
            // M-Lab requires 60 s at first, and twice as long after each further refusal, which is up to the scheduler.
            let seconds = response.headers["retry-after"].flatMap { Int64($0) } ?? 0
            let wait = Duration.seconds(min(max(60, seconds), 86_400))
            self.init(.status, message("it has no room for a test now"), retryAfter: wait)
        default: self.init(.status, response.sentence.map { "\(answered): \($0)" } ?? answered)
        }
    }
}
