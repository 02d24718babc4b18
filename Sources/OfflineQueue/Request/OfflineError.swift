public import FoundationEssentials

/// Why a request brought no answer, or was not accepted.
public enum OfflineError: Error, Equatable, CustomStringConvertible {
    /// It could not be sent now, and is delivered later under this id; see ``RequestQueue/deliveries``.
    case queued(UUID)
    /// The server answered with another status than 2xx.
    case statusCode(Int, Data)
    /// The answer is longer than the sender reads.
    case answerTooLarge
    /// It can never be sent, for this reason.
    case invalidRequest(String)
    /// It may never be sent, for this reason: its host, or the address in its URL, is not allowed.
    case forbidden(String)
    /// The name of its host led to addresses that are not allowed, for this reason; another lookup may lead elsewhere.
    case forbiddenAddress(String)
    /// It alone is larger than the queue may be, in bytes.
    case tooLarge(Int)
    /// The queue has as many requests, or bytes, as it may have.
    case full
    /// It could not be stored, for this reason: it is not accepted.
    case storage(String)

    /// Reads or writes the file; what that throws is `storage`.
    static func storing<Result>(_ body: () async throws -> Result) async throws(OfflineError) -> Result {
        do { return try await body() } catch { throw .storage(String(describing: error)) }
    }

    /// The sentence for a log.
    public var description: String {
        switch self {
        case .queued(let id): "the request is delivered later, as \(id)"
        case .statusCode(let code, _): "the server answered with status \(code)"
        case .answerTooLarge: "the answer is too large"
        case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
        case .forbidden(let reason): "the request may not be sent: \(reason)"
        case .forbiddenAddress(let reason): "the name of the host leads to an address that is not allowed: \(reason)"
        case .tooLarge(let size): "the request has \(size) bytes, more than the queue may have"
        case .full: "the queue is full"
        case .storage(let reason): "the request was not stored: \(reason)"
        }
    }
}
