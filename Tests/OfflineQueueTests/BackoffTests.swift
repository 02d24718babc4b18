import Lab
import Testing

@testable import OfflineQueue

@Suite struct BackoffTests {
    @Test func `the bound doubles from half a second to five minutes`() {
        let bounds = (0...12).map { Backoff.bound(after: $0) / .seconds(1) }
        #expect(bounds == [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(Backoff.bound(after: .max) == .seconds(300))
        #expect(Backoff.bound(after: -1) == .milliseconds(500))
    }

    @Test func `the wait is spread over the whole range below the bound`() {
        var random = SplitMix64(state: 1)
        let waits = (0..<2000).map { _ in Backoff.delay(after: 3, retryAfter: nil, using: &random) / .seconds(1) }
        #expect(waits.allSatisfy { (0...4).contains($0) })
        for quarter in 0..<4 {
            #expect((400...600).contains(waits.count { Int($0) == quarter }))
        }
    }

    @Test func `is never shorter than what the server asks, which is bounded`() {
        var random = SplitMix64(state: 2)
        #expect(Backoff.delay(after: 0, retryAfter: .seconds(3), using: &random) == .seconds(3))
        #expect(Backoff.delay(after: 0, retryAfter: .seconds(900), using: &random) == .seconds(900))
        #expect(Backoff.delay(after: 0, retryAfter: .seconds(Int64.max / 2), using: &random) == .seconds(365 * 86_400))
        #expect(Backoff.delay(after: 9, retryAfter: .zero, using: &random) > .zero)
    }
}
