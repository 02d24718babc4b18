public import FoundationEssentials

/// Sends one request once: what a queue delivers with.
///
/// ```swift
/// struct AcceptingSender: RequestSender {
///     func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
///         DeliveryResponse(statusCode: 200)
///     }
/// }
/// ```
public protocol RequestSender: Sendable {
    /// Sends a request, which has the header `Idempotency-Key`, and returns the answer, whatever its status.
    ///
    /// A throw says that no answer came: the queue tries again later, and does not count it as a try. After
    /// ``OfflineError/forbidden(_:)`` or ``OfflineError/invalidRequest(_:)`` it discards the request.
    func send(_ request: RetryableRequest) async throws -> DeliveryResponse

    /// Throws ``OfflineError/forbidden(_:)`` where a request may never be sent: the queue does not accept it.
    func check(_ request: RetryableRequest) throws(OfflineError)
}

extension RequestSender {
    /// Every request may be sent.
    public func check(_ request: RetryableRequest) {}
}

/// An HTTP answer, as far as a queue needs it.
public struct DeliveryResponse: Sendable, Equatable {
    /// The status.
    public let statusCode: Int
    /// How long the server asks to wait before the next try.
    public let retryAfter: Duration?
    /// The body, as far as the sender reads it.
    public let body: Data
    /// Whether the body is longer.
    public let isTruncated: Bool

    /// An answer.
    public init(statusCode: Int, retryAfter: Duration? = nil, body: Data = Data(), isTruncated: Bool = false) {
        self.statusCode = statusCode
        self.retryAfter = retryAfter
        self.body = body
        self.isTruncated = isTruncated
    }
}

/// A request that was delivered, with the answer of its server.
public struct Delivery: Sendable, Equatable {
    /// As it was accepted.
    public let request: RetryableRequest
    /// 2xx.
    public let response: DeliveryResponse

    /// A delivery.
    public init(request: RetryableRequest, response: DeliveryResponse) {
        self.request = request
        self.response = response
    }
}
