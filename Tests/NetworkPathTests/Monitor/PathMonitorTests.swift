import NetworkPath
import Posix
import Testing

/// Starting and stopping, on this machine's kernel.
@Suite(.timeLimit(.minutes(3)))
struct PathMonitorTests {
    private static var configuration: PathConfiguration {
        var configuration = PathConfiguration()
        configuration.watchesNetworkManager = false
        return configuration
    }

    @Test func `cancelling does not wait for the thread, and a new run begins after the end of the old one`()
        async throws
    {
        let gate = try Mailbox<Never>(capacity: 0)
        let (events, continuation) = AsyncStream<String>.makeStream()
        let monitor = PathMonitor(
            configuration: Self.configuration,
            onUpdate: { continuation.yield("update \($0.generation)") },
            onEnd: { continuation.yield("end") },
            prepareThread: {
                continuation.yield("thread")
                gate.wait()
            }
        )
        var next = events.makeAsyncIterator()
        try monitor.start()
        #expect(await next.next() == "thread")
        monitor.cancel()
        #expect(throws: PathMonitorError.notStarted) { try monitor.currentPath }
        try monitor.start()
        gate.stop()
        #expect(await next.next() == "end")
        #expect(await next.next() == "thread")
        #expect(await next.next() == "update 1")
        #expect(await monitor.path() != nil)
        monitor.cancel()
        #expect(await next.next() == "end")
    }

    @Test func `the recorded state is there while the monitor runs`() async throws {
        let monitor = PathMonitor(configuration: Self.configuration)
        #expect(await monitor.recordedState() == nil)
        try monitor.start()
        #expect(await monitor.path() != nil)
        #expect(await monitor.recordedState()?.links.isEmpty == false)
        monitor.cancel()
        #expect(await monitor.recordedState() == nil)
    }

    @Test func `a quiet loop says once a second that it runs, so that the begin of a time without it is known`()
        async throws
    {
        let (waits, continuation) = AsyncStream<(at: SuspendingClock.Instant, due: SuspendingClock.Instant)>
            .makeStream()
        let monitor = PathMonitor(
            configuration: Self.configuration,
            onUpdate: { _ in },
            onWait: { continuation.yield((.now, $0)) }
        )
        try monitor.start()
        for await wait in waits.prefix(5) { #expect(wait.at.duration(to: wait.due) <= .seconds(1)) }
        monitor.cancel()
    }

    @Test func `events about links, routes and what decides among them are changes of the way, and no others`() {
        var statistics = PathStatistics()
        statistics.rawEvents = [
            .link: 1, .address: 10, .route: 100, .rule: 1000, .nexthop: 10_000, .metered: 100_000,
        ]
        #expect(statistics.changesOfWay == 11_101)
    }

    @Test func `a new configuration keeps what the host's exporter reports`() {
        let monitor = PathMonitor(configuration: Self.configuration)
        let facts = PathPolicy.HostFacts(device: "wwan0", type: .cellular, isExpensive: true)
        monitor.adopt(facts)
        var configuration = Self.configuration
        configuration.policy.rules = [PathPolicy.Rule(interfaceGlob: "eth*", expensive: true)]
        monitor.apply(configuration)
        #expect(monitor.configuration.policy.host == facts)
        #expect(monitor.configuration.policy.rules.count == 1)
    }
}
