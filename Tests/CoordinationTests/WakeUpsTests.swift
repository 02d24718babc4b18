import Coordination
import Lab
import Testing

@Suite(.timeLimit(.minutes(3)))
struct WakeUpsTests {
    /// Waits for times, as a server does for its clients.
    private final class Owner: Sendable {
        let times = Locked<[Duration]>([])
        let stopwatch: Stopwatch
        let wakeUps: WakeUps

        init(_ clock: ManualClock) {
            stopwatch = Stopwatch(clock)
            wakeUps = WakeUps(stopwatch)
        }

        func wait(until time: Duration) {
            times.withLock { $0.append(time) }
            wakeUps.request(at: time) { [weak self] in self?.end() }
        }

        private func end() -> Duration? {
            let now = stopwatch.elapsed
            return times.withLock { times in
                times.removeAll { $0 <= now }
                return times.min()
            }
        }
    }

    private let clock = ManualClock()

    @Test func `requests for times that grow have one sleep`() {
        let owner = Owner(clock)
        for second in 1...1000 { owner.wait(until: .seconds(second)) }
        #expect(owner.wakeUps.ends == [.seconds(1)])
    }

    @Test func `an earlier time has a sleep of its own, as many as the limit says`() {
        let owner = Owner(clock)
        let times = (1...WakeUps.limit).reversed().map { Duration.seconds($0) }
        for time in times { owner.wait(until: time) }
        #expect(owner.wakeUps.ends == times)
        owner.wait(until: .milliseconds(900))
        #expect(owner.wakeUps.ends.last == .milliseconds(500), "earlier than it was asked for")
    }

    @Test func `any number of earlier times has few sleeps, and none is late`() async {
        let owner = Owner(clock)
        for count in 0..<20_000 { owner.wait(until: .seconds(300) - .milliseconds(10) * count) }
        #expect(owner.wakeUps.ends.count <= WakeUps.limit + 39)
        for second in 0...301 {
            let now = Duration.seconds(second)
            clock.advance(to: now)
            while !Task.isCancelled, owner.times.withLock({ $0.contains { $0 <= now } }) { await Task.yield() }
            #expect(owner.wakeUps.ends.count <= WakeUps.limit + 39)
        }
        #expect(owner.times.withLock { $0 } == [])
        while !Task.isCancelled, !owner.wakeUps.ends.isEmpty { await Task.yield() }
        #expect(clock.sleeperCount == 0)
    }
}
