import OfflineQueue
import Testing

/// The documented API with the imports of a user: nothing but the product.
@Suite(.timeLimit(.minutes(3))) struct OfflineQueueAPITests {
    private struct Accepting: RequestSender {
        func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
            DeliveryResponse(statusCode: 200, retryAfter: nil, body: request.body ?? Data())
        }
    }

    private let folder = QueueFolder()

    @Test func `everything can be called as documented`() async throws {
        let (online, network) = AsyncStream<Bool>.makeStream()
        let queue = RequestQueue(
            path: folder.file,
            online: online,
            sender: Accepting(),
            baseURL: URL(string: "https://api.example.com")
        )
        let id = try await queue.cacheRequest(
            endpoint: "/orders",
            method: "POST",
            body: Data("1".utf8),
            requestType: "order",
            maxRetries: 5
        )
        try await queue.cacheRequest(
            endpoint: "/orders",
            method: "POST",
            body: nil,
            requestType: "order",
            maxRetries: 0,
            headers: ["X-One": "1"]
        )
        #expect(await queue.pendingRequests.count == 2)
        #expect(await queue.pendingRequests.first?.canRetry == true)
        await queue.retryRequest(id: id)
        await queue.forceTriggerRetry()
        let deliveries = queue.deliveries
        let run = Task { await queue.run() }
        network.yield(true)
        var types: [String] = []
        for await delivery in deliveries {
            types.append(delivery.request.requestType)
            #expect(delivery.response.statusCode == 200)
            if types.count == 2 { break }
        }
        #expect(types == ["order", "order"])
        let bytes: Data = try await queue.fetchWithOfflineSupport(
            endpoint: "/now",
            method: "POST",
            body: Data("[1]".utf8),
            requestType: "now"
        )
        #expect(bytes == Data("[1]".utf8))
        let numbers: [Int] = try await queue.fetchWithOfflineSupport(
            endpoint: "/now",
            method: "POST",
            body: Data("[1]".utf8),
            requestType: "now"
        )
        #expect(numbers == [1])
        try await queue.cancelRequest(id: id)
        try await queue.reset()
        run.cancel()
        await run.value
        await queue.close()
    }

    @Test func `offline a fetch is queued`() async throws {
        struct Away: RequestSender {
            func send(_ request: RetryableRequest) async throws -> DeliveryResponse { throw CancellationError() }
        }
        let online = AsyncStream<Bool> { $0.yield(false) }
        let queue = RequestQueue(path: folder.file, online: online, sender: Away())
        do {
            let _: Data = try await queue.fetchWithOfflineSupport(endpoint: "https://h/", requestType: "t")
            Issue.record("nothing answers")
        } catch OfflineError.queued(let id) {
            #expect(await queue.pendingRequests.map(\.id) == [id])
        }
        await queue.close()
    }

    @Test func `a request has every part, and a rule decides where it may go`() throws {
        let request = RetryableRequest(
            id: UUID(),
            endpoint: "https://api.example.com/orders",
            method: "POST",
            body: Data("1".utf8),
            timestamp: Date(),
            retryCount: 0,
            maxRetries: 1,
            requestType: "order",
            headers: ["X-One": "1"],
            idempotencyKey: "key",
            orderingKey: "orders",
            requirement: "unmetered"
        )
        #expect(request.canRetry && !request.incrementRetryCount().canRetry)
        #expect(request.incrementRetryCount().id == request.id)
        #expect(
            try JSONDecoder().decode(RetryableRequest.self, from: JSONEncoder().encode(request)).headers
                == request.headers
        )
        let senders: [any RequestSender] = [
            HTTPRequestSender(), HTTPRequestSender(rule: .global),
            HTTPRequestSender(rule: ConnectionRule { _, address, port in address == "192.0.2.1" && port == 443 }),
        ]
        #expect(senders.count == 3)
    }
}
