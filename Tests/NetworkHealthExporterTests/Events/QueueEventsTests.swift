import Coordination
import Foundation
import Testing

@testable import NetworkHealthExporter
@testable import OfflineQueue

@Suite(.timeLimit(.minutes(3))) struct QueueEventsTests {
    /// Events of a queue whose pauses the test ends.
    private final class Following: Sendable {
        let news = QueueActivity()
        let statistics = Locked(QueueStatistics())
        let published = Locked<[String]>([])
        private let pauses = AsyncStream<Void>.makeStream()
        private let releases = AsyncStream<Void>.makeStream()

        func run() async {
            let events = QueueEvents(
                changes: news.changes,
                document: { QueueDocument(self.statistics.withLock { $0 }, self.news.take()) },
                publish: { document in
                    self.published.withLock { $0.append(String(decoding: document.json, as: UTF8.self)) }
                },
                pause: {
                    self.pauses.continuation.yield()
                    for await _ in self.releases.stream { return }
                }
            )
            await events.run()
        }

        /// Waits until an event is published.
        func pause() async { for await _ in pauses.stream { return } }

        func release() { releases.continuation.yield() }
    }

    private func ids(_ key: String, in json: String) throws -> [String] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        return try #require(object[key] as? [String])
    }

    @Test func `a change is an event at once, and all changes of the pause after it are one`() async throws {
        let following = Following()
        let task = Task { await following.run() }
        let first = UUID()
        following.statistics.withLock { ($0.pending, $0.enqueued) = (1, 1) }
        following.news.accepted(first)
        await following.pause()
        #expect(try ids("acceptedIds", in: following.published.withLock { $0[0] }) == [first.uuidString])

        following.statistics.withLock { ($0.pending, $0.enqueued) = (10_001, 10_001) }
        let others = (0..<10_000).map { _ in UUID() }
        for id in others { following.news.accepted(id) }
        following.news.failed(first)
        following.news.failed(first)
        following.release()
        await following.pause()
        let second = following.published.withLock { $0[1] }
        #expect(try ids("acceptedIds", in: second) == others.prefix(QueueActivity.limit).map(\.uuidString))
        #expect(try ids("failedIds", in: second) == [first.uuidString])
        #expect(second.contains(#""enqueued":10001"#))

        // A change that changed no count is no event.
        following.release()
        following.news.changed()
        following.statistics.withLock { $0.discarded[.expired] = 1 }
        following.news.changed()
        await following.pause()
        let published = following.published.withLock { $0 }
        #expect(published.count == 3)
        #expect(published[2].contains(#""discarded":1"#) && published[2].contains(#""acceptedIds":[]"#))
        task.cancel()
        following.release()
        await task.value
    }

    @Test func `an event has counts and ids alone`() {
        var queue = QueueStatistics()
        (queue.pending, queue.bytes, queue.enqueued, queue.delivered, queue.retries) = (1, 20, 5, 1, 2)
        queue.discarded = [.status: 1, .expired: 2]
        let id = UUID()
        let document = QueueDocument(queue, QueueActivity.IDs(accepted: [], delivered: [id], failed: []))
        #expect(
            String(decoding: document.json, as: UTF8.self) == """
                {"acceptedIds":[],"bytes":20,"delivered":1,"deliveredIds":["\(id)"],"discarded":3,"enqueued":5,\
                "failedIds":[],"pending":1,"retries":2}
                """
        )
        #expect(document.isNews(after: QueueDocument()))
        #expect(!QueueDocument(queue, QueueActivity.IDs()).isNews(after: document))
    }
}
