import Coordination
import Foundation
import Lab
import OfflineQueue

extension TemporaryFolder {
    /// Where a queue of these tests lies.
    var file: String { file("queue.db") }
}

/// A sender that answers as a test says, and records what it was given.
final class RecordingSender: RequestSender {
    private let sent = Locked<[RetryableRequest]>([])
    private let answer: @Sendable (RetryableRequest) async throws -> DeliveryResponse

    init(_ answer: @escaping @Sendable (RetryableRequest) async throws -> DeliveryResponse) { self.answer = answer }

    convenience init(status: Int = 200) { self.init { _ in DeliveryResponse(statusCode: status) } }

    var requests: [RetryableRequest] { sent.withLock { $0 } }

    func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
        sent.withLock { $0.append(request) }
        return try await answer(request)
    }
}

/// No answer came.
struct Unreachable: Error {}

/// What a test makes the network.
struct Network {
    let online: AsyncStream<Bool>
    private let continuation: AsyncStream<Bool>.Continuation

    init(_ isOnline: Bool? = nil) {
        (online, continuation) = AsyncStream<Bool>.makeStream()
        if let isOnline { continuation.yield(isOnline) }
    }

    func set(_ isOnline: Bool) { continuation.yield(isOnline) }
}

/// Runs a queue while `body` runs.
func running<Result: Sendable>(
    _ queue: RequestQueue,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await queue.run() }
        let result = try await body()
        group.cancelAll()
        return result
    }
}

/// The first so many deliveries.
func deliveries(_ count: Int, of queue: RequestQueue) -> Task<[Delivery], Never> {
    let stream = queue.deliveries
    return Task {
        var found: [Delivery] = []
        for await delivery in stream {
            found.append(delivery)
            if found.count == count { break }
        }
        return found
    }
}

/// A request of the type `number`, with the number as its body.
func request(
    _ number: Int,
    key: String? = nil,
    orderingKey: String? = nil,
    maxRetries: Int = 0,
    requirement: String? = nil,
    expiresAt: Date? = nil,
    timestamp: Date = Date()
) -> RetryableRequest {
    RetryableRequest(
        endpoint: "https://api.example.com/\(number)",
        method: "POST",
        body: Data("\(number)".utf8),
        timestamp: timestamp,
        maxRetries: maxRetries,
        requestType: "number",
        headers: ["X-Number": "\(number)"],
        idempotencyKey: key,
        orderingKey: orderingKey,
        requirement: requirement,
        expiresAt: expiresAt
    )
}
