import Lab
import Testing

@testable import Probing

/// Against this machine's kernel, whatever its programs do at the moment.
@Suite(.timeLimit(.minutes(3)))
struct PassiveObserverTests {
    @Test func `Dumps at once and on request, and not after it is cancelled`() async throws {
        // Without a second look at the retransmissions of this machine, which are a reason for a dump.
        let observer = PassiveObserver(interval: .seconds(3600), look: .seconds(3600))
        #expect(await observer.report() == nil)
        #expect(observer.current == nil)
        var reports = observer.reports().makeAsyncIterator()
        let task = Task { await observer.run() }
        let first = try #require(await reports.next())
        #expect(observer.current == first)
        let second = try #require(await observer.report())
        #expect(second.at > first.at)
        #expect(observer.current == second)
        #expect(observer.statistics.dumps == 2)
        #expect(observer.failure == nil)
        task.cancel()
        await task.value
        #expect(await observer.report() == nil)
        #expect(observer.statistics.dumps == 2)
    }

    @Test func `dumps again after each interval`() async throws {
        let observer = PassiveObserver(interval: .milliseconds(10), look: .seconds(3600))
        let reports = observer.reports()
        let task = Task { await observer.run() }
        var times: [SuspendingClock.Instant] = []
        for await report in reports.prefix(4) { times.append(report.at) }
        task.cancel()
        await task.value
        #expect(zip(times, times.dropFirst()).allSatisfy { $0.duration(to: $1) >= .milliseconds(10) })
    }

    @Test func `segments that are sent again are the reason for a dump as soon as somebody reads the reports`()
        async throws
    {
        let folder = try TemporaryFolder()
        let observer = PassiveObserver(interval: .seconds(3600), look: .milliseconds(10), procfs: folder.path)
        var task = Task { await observer.run() }
        // After a dump there is none out of turn for a hundred times as long as it took. The first one is made again where it
        // was held up: that time would be longer than this test may last.
        while await time(ofFirstReport: observer) > .milliseconds(300), !Task.isCancelled {
            task.cancel()
            await task.value
            task = Task { await observer.run() }
        }
        let growing = Task {
            for number in 1... {
                let text = "Tcp: InSegs RetransSegs\nTcp: 1 \(number * 2)\n"
                try folder.write("net/snmp", text)
                // The pace of the segments; it ends the loop when the task is cancelled.
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        for await _ in observer.reports() { break }
        #expect(observer.statistics.dumps >= 2)
        growing.cancel()
        task.cancel()
        await task.value
    }

    private func time(ofFirstReport observer: PassiveObserver) async -> Duration {
        let start = ContinuousClock.now
        while await observer.report() == nil, !Task.isCancelled { await Task.yield() }
        return start.duration(to: .now)
    }

    @Test func `dumps out of turn take a hundredth of the time, and rest for minutes after a stop of the process`() {
        #expect(PassiveObserver.rest(after: .milliseconds(5)) == .milliseconds(500))
        #expect(PassiveObserver.rest(after: .seconds(3600)) == .seconds(300))
    }

    @Test func `Answers all concurrent requests, and none waits for ever`() async throws {
        let observer = PassiveObserver(interval: .seconds(3600))
        await withTaskGroup { group in
            let running = Task { await observer.run() }
            for number in 0..<100 {
                group.addTask { _ = await observer.report() }
                if number == 50 { running.cancel() }
            }
            await group.waitForAll()
            await running.value
        }
    }
}
