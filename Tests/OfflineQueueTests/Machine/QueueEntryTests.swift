import Foundation
import Testing

@testable import OfflineQueue

@Suite struct QueueEntryTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private func entry(
        madeBefore age: TimeInterval = 0,
        expiresAfter wish: TimeInterval? = nil,
        notBeforeAfter wait: TimeInterval? = nil
    ) -> QueueEntry {
        let request = RetryableRequest(
            endpoint: "https://Example.com:8443/x",
            method: "POST",
            timestamp: Self.date - age,
            retryCount: 2,
            maxRetries: 5,
            requestType: "test",
            expiresAt: wish.map { Self.date + $0 }
        )
        return QueueEntry(
            7,
            request,
            notBefore: wait.map { Self.date + $0 },
            at: QueueMoment(now: .seconds(50), date: Self.date)
        )
    }

    @Test func `its age counts from when it was made, also before a restart`() {
        #expect(entry().expires(after: .seconds(100)) == .seconds(150))
        #expect(entry(madeBefore: 30).expires(after: .seconds(100)) == .seconds(120))
        #expect(entry(madeBefore: 30).made == .seconds(20))
        #expect(entry(madeBefore: 200).expires(after: .seconds(100)) == .seconds(-50))
    }

    @Test func `a request of the future, made before the clock was set back, has no age`() {
        #expect(entry(madeBefore: -1000).expires(after: .seconds(100)) == .seconds(150))
        #expect(entry(madeBefore: -.greatestFiniteMagnitude).made == .seconds(50))
        #expect(entry(madeBefore: .greatestFiniteMagnitude).expires(after: .seconds(100)) < .zero)
    }

    @Test func `its own end counts where it is earlier`() {
        #expect(entry(expiresAfter: 10).expires(after: .seconds(100)) == .seconds(60))
        #expect(entry(expiresAfter: 1000).expires(after: .seconds(100)) == .seconds(150))
        #expect(entry(expiresAfter: -1000).expires(after: .seconds(100)) < .zero)
    }

    @Test func `a wait that a server asked for goes on after a restart, a day at most`() {
        #expect(entry().due == .seconds(50))
        #expect(entry(notBeforeAfter: 5).due == .seconds(55))
        #expect(entry(notBeforeAfter: -5).due == .seconds(50))
        #expect(entry(notBeforeAfter: 1e12).due == .seconds(86_450))
    }

    @Test func `its lane is that of its key, or of its host, and the tries are kept`() {
        #expect(entry().lane == QueueLane.Key(name: "example.com", keepsOrder: false))
        #expect(entry().retryCount == 2)
        let keyed = RetryableRequest(endpoint: "https://h/", method: "GET", requestType: "", orderingKey: "example.com")
        #expect(keyed.lane == QueueLane.Key(name: "example.com", keepsOrder: true))
    }
}
