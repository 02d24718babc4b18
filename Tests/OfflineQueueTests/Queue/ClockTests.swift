import Coordination
import Foundation
import Lab
import Storage
import Testing

@testable import OfflineQueue

/// A whole queue on a clock that only the test advances.
@Suite(.timeLimit(.minutes(3))) struct ClockTests {
    private let clock = ManualClock()
    private let network = Network(true)

    private func queue(
        _ sender: any RequestSender,
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws -> RequestQueue {
        RequestQueue(
            database: try Database(file: nil, schema: RequestQueue.schema),
            online: network.online,
            sender: sender,
            clock: clock,
            date: date
        )
    }

    @Test func `what becomes too old while it waits is discarded`() async throws {
        let start = Date()
        // Offline: it is not sent before.
        let queue = RequestQueue(
            database: try Database(file: nil, schema: RequestQueue.schema),
            online: Network(false).online,
            sender: RecordingSender(),
            clock: clock,
            date: { [clock] in start + clock.now.offset / .seconds(1) }
        )
        try await queue.enqueue(request(1, expiresAt: start + 60, timestamp: start))
        try await running(queue) {
            _ = await clock.sleeper(before: .seconds(3600))
            #expect(queue.statistics.discarded == [:])
            clock.advance(to: .seconds(61))
            try await eventually("the expiry") { queue.statistics.pending == 0 }
        }
        #expect(queue.statistics.discarded == [.expired: 1])
        await queue.close()
    }

    /// How long the queue waits before its next try; a request expires later than that.
    private func wait() async -> Duration {
        let now = clock.now.offset
        return await clock.sleeper(before: now + .seconds(3600)) - now
    }

    @Test func `500 ten times and then 200: each wait is within the bounds of full jitter`() async throws {
        let statuses = Locked(Array(repeating: 500, count: 10) + [200])
        let sender = RecordingSender { _ in DeliveryResponse(statusCode: statuses.withLock { $0.removeFirst() }) }
        let queue = try queue(sender)
        let received = deliveries(1, of: queue)
        try await queue.enqueue(request(1))
        try await running(queue) {
            for failure in 0..<10 {
                let wait = await wait()
                #expect(sender.requests.count == failure + 1)
                #expect(wait > .zero && wait <= Backoff.bound(after: failure))
                #expect(await queue.pendingRequests.first?.retryCount == failure + 1)
                clock.advance(by: wait)
            }
            #expect(await received.value.first?.request.retryCount == 10)
        }
        #expect(queue.statistics.retries == 10 && queue.statistics.delivered == 1)
        #expect(Set(sender.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        await queue.close()
    }

    @Test(arguments: [Int64.max, .min]) func `the numbers of a damaged file end nothing`(number: Int64) async throws {
        let database = try Database(file: nil, schema: RequestQueue.schema)
        let sender = RecordingSender { _ in DeliveryResponse(statusCode: 500) }
        func open() -> RequestQueue {
            RequestQueue(database: database, online: network.online, sender: sender, clock: clock, date: { Date() })
        }
        let before = open()
        for index in 1...2 { try await before.enqueue(request(index)) }
        try await database.write { transaction in
            try transaction.run("UPDATE queue_request SET size = ?1, retry_count = ?1", [.integer(number)])
        }
        let queue = open()
        try await running(queue) { _ = await wait() }
        #expect(queue.statistics.pending == 2 && queue.statistics.retries > 0)
        await queue.close()
    }

    @Test func `a request that a damaged file cannot give back leaves it`() async throws {
        let database = try Database(file: nil, schema: RequestQueue.schema)
        let sender = RecordingSender()
        func open() -> RequestQueue {
            RequestQueue(database: database, online: network.online, sender: sender, clock: clock, date: { Date() })
        }
        try await open().enqueue(request(1, key: "k"))
        try await database.write { try $0.run("UPDATE queue_request SET headers = 'x'") }
        let queue = open()
        try await running(queue) {
            try await eventually("its end") { !queue.statistics.discarded.isEmpty }
        }
        #expect(queue.statistics.discarded == [.invalid: 1] && sender.requests.isEmpty)
        #expect(try await queue.enqueue(request(2, key: "k")).isNew)
        await queue.close()
    }

    @Test func `429 with Retry-After: 3 is tried again after three seconds, and 400 is discarded at once`() async throws
    {
        let statuses = Locked([429, 400, 200])
        let sender = RecordingSender { _ in
            let status = statuses.withLock { $0.removeFirst() }
            return DeliveryResponse(statusCode: status, retryAfter: status == 429 ? .seconds(3) : nil)
        }
        let queue = try queue(sender)
        let received = deliveries(1, of: queue)
        for number in 1...2 { try await queue.enqueue(request(number, orderingKey: "k")) }
        try await running(queue) {
            #expect(await wait() == .seconds(3))
            #expect(sender.requests.count == 1)
            clock.advance(by: .seconds(3))
            #expect(await received.value.map(\.request.endpoint) == ["https://api.example.com/2"])
        }
        #expect(sender.requests.map { $0.endpoint.suffix(1) } == ["1", "1", "2"])
        #expect(queue.statistics.discarded == [.status: 1])
        await queue.close()
    }

    @Test func `a wait that a server asked for goes on in the next process`() async throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let database = try Database(file: nil, schema: RequestQueue.schema)
        let sender = RecordingSender { _ in DeliveryResponse(statusCode: 429, retryAfter: .seconds(600)) }
        func open(_ clock: ManualClock) -> RequestQueue {
            RequestQueue(
                database: database,
                online: Network(true).online,
                sender: sender,
                clock: clock,
                date: { start }
            )
        }
        let first = open(clock)
        try await first.enqueue(request(1, timestamp: start))
        try await running(first) { #expect(await wait() == .seconds(600)) }
        let later = ManualClock()
        let second = open(later)
        try await running(second) {
            #expect(await later.sleeper(before: .seconds(3600)) == .seconds(600))
        }
        #expect(sender.requests.count == 1)
        await second.close()
    }

    @Test func `what waits for a requirement is looked at again every five seconds`() async throws {
        let isUnmetered = Locked(false)
        let queue = RequestQueue(
            database: try Database(file: nil, schema: RequestQueue.schema),
            online: network.online,
            sender: RecordingSender(),
            isSatisfied: { _ in isUnmetered.withLock { $0 } },
            clock: clock
        )
        let received = deliveries(1, of: queue)
        try await queue.enqueue(request(1, requirement: "unmetered"))
        try await running(queue) {
            for _ in 0..<2 {
                #expect(await wait() == .seconds(5))
                clock.advance(by: .seconds(5))
            }
            #expect(await wait() == .seconds(5))
            isUnmetered.withLock { $0 = true }
            clock.advance(by: .seconds(5))
            #expect(await received.value.count == 1)
        }
        await queue.close()
    }

    @Test(arguments: [100.0, -100])
    func `a clock that is set by 100 days and back discards no request and forgets no delivered key`(
        days: Double
    ) async throws {
        let offset = Locked(0.0)
        let start = Date()
        let date: @Sendable () -> Date = { start + offset.withLock { $0 } }
        let sender = RecordingSender { DeliveryResponse(statusCode: $0.orderingKey == "down" ? 503 : 200) }
        let queue = try queue(sender, date: date)
        let deliver: @Sendable (Int, String) async throws -> Void = { number, key in
            let received = deliveries(1, of: queue)
            try await queue.enqueue(request(number, key: key, timestamp: date()))
            _ = await received.value
        }
        try await running(queue) {
            try await deliver(1, "before")
            try await queue.enqueue(request(2, orderingKey: "down", timestamp: date()))
            offset.withLock { $0 = days * 86_400 }
            try await deliver(3, "meanwhile")
            offset.withLock { $0 = 0 }
            try await deliver(4, "after")
            for key in ["before", "meanwhile", "after"] {
                let again = try await queue.enqueue(request(5, key: key, timestamp: date()))
                #expect(!again.isNew, "\(key)")
            }
            #expect(queue.statistics.pending == 1 && queue.statistics.discarded == [:])
            // A key is known as long as a request may wait.
            let later = QueueLimits().maxAge + .seconds(1)
            clock.advance(by: later)
            offset.withLock { $0 += later / .seconds(1) }
            let again = try await queue.enqueue(request(6, key: "before", timestamp: date()))
            #expect(again.isNew)
        }
        await queue.close()
    }

    @Test(arguments: [true, false])
    func `an API that is down for 30 minutes loses nothing, and does not hold up another`(answers: Bool) async throws {
        let isUp = Locked(false)
        let sender = RecordingSender { request in
            guard request.orderingKey == "down", !isUp.withLock({ $0 }) else {
                return DeliveryResponse(statusCode: 200)
            }
            guard answers else { throw Unreachable() }
            return DeliveryResponse(statusCode: 503)
        }
        let queue = try queue(sender)
        let others = deliveries(3, of: queue)
        for number in 1...3 {
            try await queue.enqueue(request(number, orderingKey: "down"))
            try await queue.enqueue(request(number + 3, orderingKey: "up"))
        }
        try await running(queue) {
            #expect(await others.value.map(\.request.orderingKey) == ["up", "up", "up"])
            while clock.now.offset < .seconds(1800) { clock.advance(by: await wait()) }
            #expect(queue.statistics.discarded == [:] && queue.statistics.pending == 3)
            let received = deliveries(3, of: queue)
            isUp.withLock { $0 = true }
            await queue.forceTriggerRetry()
            let numbers = await received.value.map { String(decoding: $0.request.body ?? Data(), as: UTF8.self) }
            #expect(numbers == ["1", "2", "3"])
        }
        #expect(queue.statistics.delivered == 6 && queue.statistics.retries > 5)
        await queue.close()
    }
}
