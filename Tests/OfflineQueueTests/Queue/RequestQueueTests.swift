import Coordination
import Foundation
import Lab
import OfflineQueue
import Testing

@Suite(.timeLimit(.minutes(3))) struct RequestQueueTests {
    private let folder: TemporaryFolder
    private let network = Network()

    init() throws { folder = try TemporaryFolder() }

    private func queue(_ sender: any RequestSender, limits: QueueLimits = QueueLimits()) -> RequestQueue {
        RequestQueue(path: folder.file, online: network.online, sender: sender, limits: limits)
    }

    @Test func `what was accepted is there after a restart, with everything that it has`() async throws {
        let first = queue(RecordingSender())
        let sent = [request(1, key: "k", orderingKey: "o", maxRetries: 3, expiresAt: Date() + 1000), request(2)]
        for request in sent { try await first.enqueue(request) }
        await first.close()
        let second = queue(RecordingSender())
        let found = await second.pendingRequests
        #expect(found.map(\.id) == sent.map(\.id))
        #expect(found[0].body == sent[0].body && found[0].headers == sent[0].headers && found[0].maxRetries == 3)
        #expect(found[0].idempotencyKey == "k" && found[0].orderingKey == "o" && found[0].requestType == "number")
        #expect(abs(found[0].timestamp.timeIntervalSince(sent[0].timestamp)) < 0.001)
        #expect(found[0].expiresAt != nil && found[1].expiresAt == nil && found[1].orderingKey == nil)
        #expect(second.statistics.pending == 2)
        #expect(second.statistics.enqueued == 0)
        await second.close()
    }

    @Test func `delivers in order once the network is there, each with its key`() async throws {
        let sender = RecordingSender { DeliveryResponse(statusCode: 201, body: $0.body ?? Data()) }
        let queue = queue(sender)
        let received = deliveries(5, of: queue)
        for number in 1...4 { try await queue.enqueue(request(number)) }
        try await queue.enqueue(request(5, key: "mine"))
        try await running(queue) {
            #expect(sender.requests.isEmpty)
            network.set(false)
            network.set(true)
            let found = await received.value
            #expect(found.map(\.request.endpoint) == (1...5).map { "https://api.example.com/\($0)" })
            #expect(found.map(\.response.body) == found.map(\.request.body))
            #expect(found[0].request.headers == ["X-Number": "1"])
        }
        #expect(await queue.pendingRequests == [])
        let keys = sender.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys == sender.requests.prefix(4).map(\.id.uuidString) + ["mine"])
        #expect(queue.statistics.delivered == 5)
        await queue.close()
    }

    @Test func `what an answer failed is tried again, and the count is kept over a restart`() async throws {
        let (answers, failures) = (Locked(2), Locked(2))
        // The third try is under way until the queue ends: else it might end between two looks at the count.
        let first = queue(
            RecordingSender { _ in
                let isAnswered = answers.withLock { answers in
                    answers -= 1
                    return answers >= 0
                }
                guard isAnswered else {
                    await endOfTask()
                    throw CancellationError()
                }
                return DeliveryResponse(statusCode: 503)
            }
        )
        let id = try await first.cacheRequest(endpoint: "https://h/x", method: "PUT", requestType: "t", maxRetries: 9)
        try await running(first) {
            network.set(true)
            try await eventually("two tries") { await first.pendingRequests.first?.retryCount == 2 }
        }
        await first.close()
        let second = RequestQueue(
            path: folder.file,
            online: Network(true).online,
            sender: RecordingSender { _ in
                let isFailing = failures.withLock { failures in
                    failures -= 1
                    return failures >= 0
                }
                return DeliveryResponse(statusCode: isFailing ? 500 : 200)
            }
        )
        #expect(await second.pendingRequests.first?.retryCount == 2)
        let received = deliveries(1, of: second)
        try await running(second) {
            let delivery = await received.value.first
            #expect(delivery?.request.id == id)
            #expect(delivery?.request.retryCount == 4)
        }
        await second.close()
    }

    @Test func `a refusal discards the request, and the next of its key follows`() async throws {
        let sender = RecordingSender { request in
            DeliveryResponse(statusCode: request.endpoint.hasSuffix("/1") ? 400 : 200)
        }
        let queue = queue(sender)
        let received = deliveries(1, of: queue)
        for number in 1...2 { try await queue.enqueue(request(number)) }
        try await running(queue) {
            network.set(true)
            #expect(await received.value.first?.request.endpoint == "https://api.example.com/2")
        }
        #expect(queue.statistics.discarded == [.status: 1])
        #expect(await queue.pendingRequests == [])
        await queue.close()
    }

    @Test func `a request that keeps failing holds up its own key and no other`() async throws {
        let sender = RecordingSender { request in
            guard request.orderingKey != "bad" else { throw Unreachable() }
            return DeliveryResponse(statusCode: 200)
        }
        let queue = queue(sender)
        let received = deliveries(20, of: queue)
        for number in 1...2 { try await queue.enqueue(request(number, orderingKey: "bad")) }
        for number in 3...22 { try await queue.enqueue(request(number, orderingKey: "good")) }
        try await running(queue) {
            network.set(true)
            #expect(await received.value.map(\.request.orderingKey) == Array(repeating: "good", count: 20))
        }
        let left = await queue.pendingRequests
        #expect(left.map(\.orderingKey) == ["bad", "bad"])
        #expect(left.map(\.retryCount) == [0, 0])
        #expect(!sender.requests.contains { $0.endpoint.hasSuffix("/2") })
        await queue.close()
    }

    @Test func `without a key, a request that brings no answer holds up no other of its host`() async throws {
        let sender = RecordingSender { request in
            guard !request.endpoint.hasSuffix("/1") else { throw Unreachable() }
            return DeliveryResponse(statusCode: 200)
        }
        let queue = queue(sender)
        let received = deliveries(20, of: queue)
        for number in 1...21 { try await queue.enqueue(request(number)) }
        try await running(queue) {
            network.set(true)
            let numbers = await received.value.map { String(decoding: $0.request.body ?? Data(), as: UTF8.self) }
            #expect(numbers == (2...21).map { "\($0)" })
        }
        #expect(await queue.pendingRequests.map(\.endpoint) == ["https://api.example.com/1"])
        await queue.close()
    }

    @Test func `what turns out at a try that it can never be sent is discarded, and its key goes on`() async throws {
        // As one that an earlier version has stored.
        let sender = RecordingSender { request in
            guard !request.endpoint.hasSuffix("/1") else { throw OfflineError.invalidRequest("") }
            return DeliveryResponse(statusCode: 200)
        }
        let queue = queue(sender)
        let received = deliveries(1, of: queue)
        for number in 1...2 { try await queue.enqueue(request(number, orderingKey: "k")) }
        try await running(queue) {
            network.set(true)
            #expect(await received.value.map(\.request.endpoint) == ["https://api.example.com/2"])
        }
        #expect(queue.statistics.discarded.map(\.key.rawValue) == ["invalid"])
        #expect(await queue.pendingRequests == [])
        await queue.close()
    }

    @Test func `a failed transfer is repeated at once when the network is back`() async throws {
        let isThere = Locked(false)
        let sender = RecordingSender { _ in
            guard isThere.withLock({ $0 }) else { throw Unreachable() }
            return DeliveryResponse(statusCode: 200)
        }
        let queue = queue(sender)
        let received = deliveries(1, of: queue)
        try await queue.enqueue(request(1, maxRetries: 1))
        try await running(queue) {
            network.set(true)
            try await eventually("a retry") { queue.statistics.retries > 0 }
            network.set(false)
            isThere.withLock { $0 = true }
            network.set(true)
            #expect(await received.value.count == 1)
        }
        await queue.close()
    }

    @Test func `cancels one request, and all of them`() async throws {
        let queue = queue(RecordingSender())
        let ids = [
            try await queue.enqueue(request(1)).id, try await queue.enqueue(request(2)).id,
            try await queue.enqueue(request(3)).id,
        ]
        let cancelled = [try await queue.cancelRequest(id: ids[1]), try await queue.cancelRequest(id: ids[1])]
        #expect(cancelled == [true, false])
        #expect(await queue.pendingRequests.map(\.id) == [ids[0], ids[2]])
        try await queue.reset()
        #expect(await queue.pendingRequests == [])
        #expect(queue.statistics.discarded == [.cancelled: 1, .reset: 2])
        let retried = await queue.retryRequest(id: ids[0])
        #expect(!retried)
        await queue.close()
        let second = self.queue(RecordingSender())
        #expect(await second.pendingRequests == [])
        await second.close()
    }

    @Test func `a forced retry ends the wait for a server`() async throws {
        let answers = Locked([429, 429, 200])
        let sender = RecordingSender { _ in
            DeliveryResponse(statusCode: answers.withLock { $0.removeFirst() }, retryAfter: .seconds(600))
        }
        let queue = queue(sender)
        let received = deliveries(1, of: queue)
        let id = try await queue.enqueue(request(1)).id
        try await running(queue) {
            network.set(true)
            try await eventually("a try") { await queue.pendingRequests.first?.retryCount == 1 }
            // A try that has not been noted yet sets its own wait afterwards.
            try await eventually("the second try") {
                await queue.retryRequest(id: id)
                return sender.requests.count >= 2
            }
            try await eventually("the third try") {
                await queue.forceTriggerRetry()
                return sender.requests.count >= 3
            }
            #expect(await received.value.count == 1)
        }
        await queue.close()
    }

    @Test func `many at once are all accepted, and delivered once`() async throws {
        let sender = RecordingSender()
        let queue = queue(sender)
        let received = deliveries(200, of: queue)
        try await running(queue) {
            network.set(true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask { try await queue.enqueue(request(number, orderingKey: "\(number % 8)")) }
                }
                try await group.waitForAll()
            }
            #expect(Set(await received.value.map(\.request.id)).count == 200)
        }
        #expect(sender.requests.count == 200)
        await queue.close()
    }
}
