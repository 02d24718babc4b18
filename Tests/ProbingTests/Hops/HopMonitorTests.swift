import Coordination
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

/// The shell, on a clock that only the test moves.
@Suite(.timeLimit(.minutes(3)))
struct HopMonitorTests {
    /// Answers at once, and hands each probe on.
    private final class FakeHops: HopProbing {
        let (probes, continuation) = AsyncStream<Int>.makeStream()
        let traffic = ByteCounts(received: 7, transmitted: 5)

        func probe(_ distance: Int, to destination: IPAddress, timeout: Duration) async -> HopOutcome {
            continuation.yield(distance)
            return .answered(by: destination, roundTrip: .milliseconds(distance), isDestination: false)
        }

        /// The next so many probes, which are sent beside each other.
        func next(_ count: Int) async -> [Int] {
            var taken: [Int] = []
            for await distance in probes {
                taken.append(distance)
                if taken.count == count { break }
            }
            return taken.sorted()
        }
    }

    @Test func `It probes once it has a path, and as often as the mode says`() async throws {
        let (clock, hops, log) = (ManualClock(), FakeHops(), RefusalLog())
        let (ends, ended) = AsyncStream<Void>.makeStream()
        let monitor = HopMonitor(HopConfiguration(), probing: hops, refusals: log, clock: clock) { ended.yield() }
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            await clock.sleeper(until: .seconds(3600))
            #expect(monitor.reports.isEmpty)
            monitor.pathChanged(InternetPath(generation: 1, isSatisfied: true, families: [.ipv4]))
            var elapsed = Duration.zero
            for pause in [1050, 2100, 4200, 8400] {
                #expect(await hops.next(4) == [1, 2, 3, 4])
                elapsed += .milliseconds(pause)
                await clock.sleeper(until: elapsed)
                clock.advance(by: .milliseconds(pause))
            }
            #expect(await hops.next(4) == [1, 2, 3, 4])
            await clock.sleeper(until: elapsed + .seconds(600))
            clock.advance(by: .milliseconds(1050))
            monitor.modeChanged(.speedTest)
            #expect(await hops.next(4) == [1, 2, 3, 4])
            var count = 0
            for await _ in ends {
                count += 1
                if count == 24 { break }
            }
            group.cancelAll()
        }
        let report = try #require(monitor.reports.first)
        #expect(report.hops.map(\.replies) == [6, 6, 6, 6])
        #expect(report.refusals.isEmpty)
        let router = try #require(IPAddress("192.0.2.1"))
        log.note(Refusal(sender: router, destination: router, type: 3, code: 0, distance: 1, at: .now))
        #expect(monitor.reports.first?.refusals.map(\.sender) == [router], "those of other probes, too")
        #expect(monitor.traffic == ByteCounts(received: 7, transmitted: 5))
    }
}
