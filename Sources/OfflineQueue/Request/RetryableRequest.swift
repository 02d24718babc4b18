public import FoundationEssentials

/// A request that a ``RequestQueue`` keeps until a server has accepted it.
///
/// ```swift
/// let request = RetryableRequest(
///     endpoint: "https://api.example.com/orders", method: "POST", body: body, requestType: "order", orderingKey: "orders"
/// )
/// try await queue.enqueue(request)
/// ```
public struct RetryableRequest: Identifiable, Codable, Sendable, Equatable {
    /// The same for every try.
    public let id: UUID
    /// An absolute http or https URL without user info; a relative one is resolved against the queue's base URL when it is accepted.
    public let endpoint: String
    /// `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`.
    public let method: String
    /// Sent with every try; `GET` and `HEAD` have none.
    public let body: Data?
    /// When it was made.
    public let timestamp: Date
    /// Tries that an HTTP answer failed; those without an answer do not count.
    public let retryCount: Int
    /// How many such tries it has; 0: as many as fit in its age.
    public let maxRetries: Int
    /// For the program, which finds it in ``RequestQueue/deliveries`` again.
    public let requestType: String
    /// Sent with every try; none that belongs to the connection, such as `Host` or `Content-Length`.
    public let headers: [String: String]
    /// Sent as `Idempotency-Key`, 1 to 255 bytes without control characters; nil: the header of this name, or the ``id`` without one.
    ///
    /// A second request with a key that is known is not accepted beside the first.
    public let idempotencyKey: String?
    /// Requests with the same key are delivered one after the other, in the order of their acceptance.
    ///
    /// nil: requests to the same host are sent one at a time in that order, but one that waits lets the others pass.
    public let orderingKey: String?
    /// The name of what must hold before it is sent, such as `unmetered`; nil: being online is enough.
    public let requirement: String?
    /// When it is discarded, if the queue's own maximum age does not end before.
    public let expiresAt: Date?

    /// A request.
    public init(
        id: UUID = UUID(),
        endpoint: String,
        method: String,
        body: Data? = nil,
        timestamp: Date = Date(),
        retryCount: Int = 0,
        maxRetries: Int = 0,
        requestType: String,
        headers: [String: String] = [:],
        idempotencyKey: String? = nil,
        orderingKey: String? = nil,
        requirement: String? = nil,
        expiresAt: Date? = nil
    ) {
        self.id = id
        self.endpoint = endpoint
        self.method = method
        self.body = body
        self.timestamp = timestamp
        self.retryCount = retryCount
        self.maxRetries = maxRetries
        self.requestType = requestType
        self.headers = headers
        self.idempotencyKey = idempotencyKey
        self.orderingKey = orderingKey
        self.requirement = requirement
        self.expiresAt = expiresAt
    }

    /// Whether another HTTP answer may fail it.
    public var canRetry: Bool { maxRetries <= 0 || retryCount < maxRetries }

    /// The same request after one more try that an HTTP answer failed.
    public func incrementRetryCount() -> RetryableRequest { copy(retryCount: retryCount + 1) }

    /// The same request with other values.
    func copy(
        endpoint: String? = nil,
        body: Data? = nil,
        retryCount: Int? = nil,
        headers: [String: String]? = nil
    ) -> RetryableRequest {
        RetryableRequest(
            id: id,
            endpoint: endpoint ?? self.endpoint,
            method: method,
            body: body ?? self.body,
            timestamp: timestamp,
            retryCount: retryCount ?? self.retryCount,
            maxRetries: maxRetries,
            requestType: requestType,
            headers: headers ?? self.headers,
            idempotencyKey: idempotencyKey,
            orderingKey: orderingKey,
            requirement: requirement,
            expiresAt: expiresAt
        )
    }

    /// As a sender gets it: with the header `Idempotency-Key`, by which a server recognizes a repeated try.
    var sent: RetryableRequest {
        var headers = headers
        if idempotencyKey != nil || !headers.keys.contains(where: { $0.lowercased() == "idempotency-key" }) {
            headers = headers.filter { $0.key.lowercased() != "idempotency-key" }
            headers["Idempotency-Key"] = idempotencyKey ?? id.uuidString
        }
        return copy(headers: headers)
    }
}
