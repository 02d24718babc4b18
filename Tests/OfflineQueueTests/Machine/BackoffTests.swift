import Testing

@testable import OfflineQueue

@Suite struct BackoffTests {
    @Test func `the bound doubles from half a second to five minutes`() {
        let bounds = (0...12).map { Backoff.bound(after: $0) / .seconds(1) }
        #expect(bounds == [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(Backoff.bound(after: .max) == .seconds(300))
        #expect(Backoff.bound(after: -1) == .milliseconds(500))
    }

    @Test func `the wait is a share of the bound`() {
        for (jitter, wait) in [(0, 0), (0.25, 1), (1, 4)] {
            #expect(Backoff.delay(after: 3, retryAfter: nil, jitter: jitter) == .seconds(wait))
        }
    }

    @Test func `is never shorter than what the server asks, which is bounded`() {
        #expect(Backoff.delay(after: 0, retryAfter: .seconds(3), jitter: 0.5) == .seconds(3))
        #expect(Backoff.delay(after: 0, retryAfter: .seconds(900), jitter: 0.5) == .seconds(900))
        #expect(Backoff.delay(after: 0, retryAfter: .seconds(Int64.max / 2), jitter: 0.5) == .seconds(365 * 86_400))
        #expect(Backoff.delay(after: 9, retryAfter: .zero, jitter: 0.5) == .seconds(128))
    }
}
