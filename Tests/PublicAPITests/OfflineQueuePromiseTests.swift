import Glibc
import OfflineQueue
import Testing

/// What `OfflineQueue` promises, shown with nothing but the product.
@Suite(.timeLimit(.minutes(3))) struct OfflineQueuePromiseTests {
    /// Answers as a test says, and records what it got and when.
    private actor Server: RequestSender {
        private let answer: @Sendable (RetryableRequest, Int) throws -> DeliveryResponse
        private(set) var requests: [RetryableRequest] = []
        private(set) var times: [ContinuousClock.Instant] = []

        /// `answer` gets the number of requests before.
        init(_ answer: @escaping @Sendable (RetryableRequest, Int) throws -> DeliveryResponse) { self.answer = answer }

        func send(_ request: RetryableRequest) async throws -> DeliveryResponse {
            requests.append(request)
            times.append(.now)
            return try answer(request, requests.count - 1)
        }
    }

    private struct Unreachable: Error {}

    private let folder = QueueFolder()

    private func queue(_ sender: any RequestSender, online: Bool = true, limits: QueueLimits = QueueLimits())
        -> RequestQueue
    {
        let stream = AsyncStream<Bool> { $0.yield(online) }
        return RequestQueue(path: folder.file, online: stream, sender: sender, limits: limits) { $0 == "unmetered" }
    }

    @discardableResult
    private func post(_ name: String, to queue: RequestQueue, key: String? = nil) async throws -> UUID {
        let request = RetryableRequest(
            endpoint: "https://api.example.com/\(name)",
            method: "POST",
            requestType: name,
            orderingKey: key
        )
        return try await queue.enqueue(request).id
    }

    /// Runs the queue until so many requests are delivered, and returns their types; ends every wait between two tries.
    private func deliver(_ count: Int, from queue: RequestQueue, forcing: Bool = false) async -> [String] {
        let deliveries = queue.deliveries
        return await withTaskGroup(of: [String].self) { group in
            group.addTask {
                await queue.run()
                return []
            }
            if forcing {
                group.addTask {
                    while !Task.isCancelled {
                        await queue.forceTriggerRetry()
                        // The pace of the calls; it ends with the task.
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                    return []
                }
            }
            group.addTask {
                var types: [String] = []
                for await delivery in deliveries {
                    types.append(delivery.request.requestType)
                    if types.count == count { break }
                }
                return types
            }
            var types: [String] = []
            while types.isEmpty, let result = await group.next() { types = result }
            group.cancelAll()
            return types
        }
    }

    @Test func `500 ten times and then 200: delivered, every try with the same key`() async throws {
        let server = Server { _, earlier in DeliveryResponse(statusCode: earlier < 10 ? 500 : 200) }
        let queue = queue(server)
        let id = try await post("a", to: queue)
        #expect(await deliver(1, from: queue, forcing: true) == ["a"])
        #expect(
            await server.requests.map { $0.headers["Idempotency-Key"] } == Array(repeating: id.uuidString, count: 11)
        )
        #expect(queue.statistics.retries == 10 && queue.statistics.delivered == 1)
        await queue.close()
    }

    @Test func `429 is tried again no earlier than Retry-After`() async throws {
        let server = Server { _, earlier in
            DeliveryResponse(statusCode: earlier == 0 ? 429 : 200, retryAfter: earlier == 0 ? .milliseconds(300) : nil)
        }
        let queue = queue(server)
        try await post("a", to: queue)
        #expect(await deliver(1, from: queue) == ["a"])
        let times = await server.times
        #expect(times[1] - times[0] >= .milliseconds(300))
        await queue.close()
    }

    @Test func `a permanent refusal leaves the queue with its reason, and the next of its key goes`() async throws {
        let server = Server { request, _ in DeliveryResponse(statusCode: request.requestType == "bad" ? 400 : 200) }
        let queue = queue(server)
        for name in ["bad", "good"] { try await post(name, to: queue) }
        #expect(await deliver(1, from: queue) == ["good"])
        #expect(queue.statistics.discarded == [.status: 1])
        #expect(await server.requests.count == 2)
        await queue.close()
    }

    @Test func `a request that keeps failing holds up its own key and no other`() async throws {
        let server = Server { request, _ in
            if request.orderingKey == "down" { throw Unreachable() }
            return DeliveryResponse(statusCode: 200)
        }
        let queue = queue(server)
        for name in ["d1", "d2"] { try await post(name, to: queue, key: "down") }
        for name in ["u1", "u2", "u3"] { try await post(name, to: queue, key: "up") }
        #expect(await deliver(3, from: queue, forcing: true) == ["u1", "u2", "u3"])
        #expect(await queue.pendingRequests.map(\.requestType) == ["d1", "d2"])
        // No answer came: none of them counts as a try.
        #expect(await queue.pendingRequests.map(\.retryCount) == [0, 0])
        #expect(await !server.requests.contains { $0.requestType == "d2" })
        await queue.close()
    }

    @Test func `what was accepted offline is delivered by the next process, in order`() async throws {
        let first = queue(Server { _, _ in DeliveryResponse(statusCode: 200) }, online: false)
        for number in 1...5 { try await post("\(number)", to: first) }
        await first.close()
        let second = queue(Server { _, _ in DeliveryResponse(statusCode: 200) })
        #expect(await second.pendingRequests.map(\.requestType) == ["1", "2", "3", "4", "5"])
        #expect(await deliver(5, from: second) == ["1", "2", "3", "4", "5"])
        #expect(await second.pendingRequests.isEmpty)
        await second.close()
    }

    @Test func `a known key is the first request, and limits, ages and requirements answer with errors`() async throws {
        let server = Server { _, _ in DeliveryResponse(statusCode: 200) }
        let queue = queue(server, online: false, limits: QueueLimits(maxRequests: 1, maxBytes: 1000))
        func request(key: String?, body: Int = 0, requirement: String? = nil, expiresAt: Date? = nil)
            -> RetryableRequest
        {
            RetryableRequest(
                endpoint: "https://api.example.com/",
                method: "POST",
                body: Data(count: body),
                requestType: "t",
                idempotencyKey: key,
                requirement: requirement,
                expiresAt: expiresAt
            )
        }
        let first = try await queue.enqueue(request(key: "k", requirement: "unmetered"))
        let again = try await queue.enqueue(request(key: "k"))
        #expect(again.id == first.id && first.isNew && !again.isNew)
        await #expect(throws: OfflineError.full) { try await queue.enqueue(request(key: nil)) }
        await #expect {
            try await queue.enqueue(request(key: nil, body: 1000))
        } throws: {
            if case OfflineError.tooLarge = $0 { true } else { false }
        }
        await #expect {
            try await queue.enqueue(request(key: nil, expiresAt: Date() - 1))
        } throws: {
            if case OfflineError.invalidRequest = $0 { true } else { false }
        }
        #expect(queue.statistics.rejected == [.full: 1, .tooLarge: 1])
        let cancelled = [try await queue.cancelRequest(id: first.id), try await queue.cancelRequest(id: first.id)]
        #expect(cancelled == [true, false])
        try await post("b", to: queue)
        try await queue.reset()
        #expect(queue.statistics.discarded == [.cancelled: 1, .reset: 1])
        await queue.close()
    }

    @Test func `an address is refused at once, a name that leads to one is kept and counted`() async throws {
        let queue = queue(HTTPRequestSender(rule: .global))
        await #expect {
            try await queue.cacheRequest(endpoint: "http://127.0.0.1:9/", method: "GET", requestType: "t")
        } throws: {
            if case OfflineError.forbidden = $0 { true } else { false }
        }
        #expect(queue.statistics.rejected == [.host: 1])
        try await queue.cacheRequest(endpoint: "http://localhost:9/", method: "GET", requestType: "t")
        let run = Task { await queue.run() }
        // There is no event for a try; the suite's time limit ends a wait without end.
        while queue.statistics.forbiddenAddresses == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await queue.pendingRequests.map(\.retryCount) == [0])
        run.cancel()
        await run.value
        await queue.close()
    }
}
