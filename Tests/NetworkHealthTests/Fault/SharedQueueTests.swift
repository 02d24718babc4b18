import Statistics
import Testing

@testable import NetworkHealth

@Suite struct SharedQueueTests {
    private static let start = OutcomeWindow.Instant.now

    /// Twenty probes, one a second; those of two windows are of the same rounds.
    private func window(_ milliseconds: (Int) -> Int) -> OutcomeWindow {
        var window = OutcomeWindow()
        for number in 0..<20 {
            let roundTrip = Duration.milliseconds(milliseconds(number))
            window.push(roundTrip, at: Self.start + .seconds(number) + roundTrip)
        }
        return window
    }

    /// They deviate from their medians by 20 ms, and from each other by the share of that.
    @Test(arguments: [(0, true), (9, true), (11, false), (30, false)])
    func `two hops see one queue where they differ by less than half of what each deviates`(
        difference: Int,
        isOne: Bool
    ) {
        let near = window { $0.isMultiple(of: 2) ? 40 : 80 }
        // At two of four probes it waits longer, at the others less.
        let far = window { number in
            let wait = number.isMultiple(of: 2) ? 50 : 90
            return wait + (number % 4 < 2 ? difference : -difference)
        }
        #expect(SharedQueue.isSeen(near, far, since: Self.start) == isOne)
    }

    @Test func `fewer than ten rounds show nothing`() {
        let near = window { $0.isMultiple(of: 2) ? 40 : 80 }
        #expect(SharedQueue.isSeen(near, near, since: Self.start + .milliseconds(9500)))
        #expect(!SharedQueue.isSeen(near, near, since: Self.start + .milliseconds(11_500)))
    }
}
