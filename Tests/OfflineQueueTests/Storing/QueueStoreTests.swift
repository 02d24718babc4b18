import Foundation
import Storage
import Testing

@testable import OfflineQueue

/// What the file gives back to the next process, and what leaves it.
@Suite(.timeLimit(.minutes(3))) struct QueueStoreTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private let store: QueueStore

    init() throws { store = QueueStore(database: try Database(file: nil, schema: RequestQueue.schema)) }

    @Test func `a request is read back as the entry that it was, with what its tries have changed`() async throws {
        let moment = QueueMoment(now: .seconds(50), date: Self.date)
        let requests = [
            request(
                1,
                orderingKey: "o",
                maxRetries: 3,
                requirement: "unmetered",
                expiresAt: Self.date + 500,
                timestamp: Self.date - 100
            ),
            request(2, timestamp: Self.date - 20),
        ]
        var entries: [QueueEntry] = []
        for request in requests {
            let (sequence, _) = try await store.insert(request, knowingKeysSince: .distantPast)
            entries.append(QueueEntry(try #require(sequence), request, at: moment))
        }
        var found = try await store.entries(at: moment)
        #expect(found == entries)
        try await store.note(entries[0].sequence, retryCount: 2, notBefore: Self.date + 30)
        entries[0].retryCount = 2
        entries[0].due = .seconds(80)
        found = try await store.entries(at: moment)
        #expect(found == entries)
        // The next answer asks for no wait.
        try await store.note(entries[0].sequence, retryCount: 3, notBefore: nil)
        entries[0].retryCount = 3
        entries[0].due = .seconds(50)
        found = try await store.entries(at: moment)
        #expect(found == entries)
    }

    @Test func `the key of a delivered request leaves the file when it is too old, at the delivery of another`()
        async throws
    {
        for (number, age) in [(1, 100.0), (2, 50.0), (3, 0.0)] {
            let delivered = request(number, key: "\(number)")
            let (sequence, _) = try await store.insert(delivered, knowingKeysSince: .distantPast)
            let removal = QueueStore.Removal(sequence: try #require(sequence), isDelivered: true)
            let oldest = number == 3 ? Self.date - 50 : .distantPast
            try await store.remove([removal], at: Self.date - age, forgettingKeysBefore: oldest)
        }
        let keys = try await store.database.read { transaction in
            try transaction.rows("SELECT idempotency_key FROM queue_delivered ORDER BY idempotency_key")
                .map { $0[0].text }
        }
        #expect(keys == ["2", "3"])
    }
}
