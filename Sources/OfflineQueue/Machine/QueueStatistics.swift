/// What a queue holds, and what it did since it was opened.
public struct QueueStatistics: Sendable, Equatable {
    /// Requests that wait or are being sent.
    public internal(set) var pending = 0
    /// The sum of their bytes.
    public internal(set) var bytes = 0
    /// The age of the oldest; nil while none is pending.
    public internal(set) var oldestAge: Duration?
    /// Requests that were accepted.
    public internal(set) var enqueued = 0
    /// Requests that a server answered with 2xx.
    public internal(set) var delivered = 0
    /// Tries that failed and are repeated.
    public internal(set) var retries = 0
    /// Those of them that ended because the name of the host led to an address that is not allowed.
    public internal(set) var forbiddenAddresses = 0
    /// Requests that left the queue undelivered.
    public internal(set) var discarded: [DiscardReason: Int] = [:]
    /// Requests that were not accepted.
    public internal(set) var rejected: [RejectionReason: Int] = [:]
}

/// Why a request left the queue undelivered.
public enum DiscardReason: String, Sendable, CaseIterable {
    /// An answer that another try will not change: 4xx, except 408, 425 and 429.
    case status
    /// Older than it may be.
    case expired
    /// As many HTTP answers failed it as it allows.
    case retries
    /// By ``RequestQueue/cancelRequest(id:)``.
    case cancelled
    /// By ``RequestQueue/reset()``.
    case reset
    /// Its host, or the address in its URL, is not allowed any more.
    case host
    /// It can never be sent.
    case invalid
}

/// Why a request was not accepted.
public enum RejectionReason: String, Sendable, CaseIterable {
    /// The queue has as many requests or bytes as it may have.
    case full
    /// It alone has more bytes than the queue may have.
    case tooLarge = "too_large"
    /// It could not be stored.
    case storage
    /// Its host, or the address in its URL, is not allowed.
    case host
}

extension RejectionReason {
    /// nil for an error of the request itself.
    init?(_ error: OfflineError) {
        switch error {
        case .full: self = .full
        case .tooLarge: self = .tooLarge
        case .storage: self = .storage
        case .forbidden: self = .host
        case .queued, .statusCode, .answerTooLarge, .invalidRequest, .forbiddenAddress: return nil
        }
    }
}

/// Why the last try of a request did not deliver it.
package enum TryFailure: String, Sendable, CaseIterable {
    /// An HTTP answer.
    case status
    /// No answer came, or the name has no address.
    case noAnswer = "no_answer"
    /// The name led to an address that is not allowed.
    case address
}
