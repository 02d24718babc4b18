import Coordination
import Foundation
import HTTPTransfer
import Lab
import Logging
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics
import Storage
import Testing

@testable import NetworkHealthExporter

/// The service with a clock that the test sets, against a closed port of this host: its tests fail at once.
@Suite(.timeLimit(.minutes(3)))
struct SpeedTestServiceTests {
    /// A clock, and the event of its being set.
    private final class TestClock: Sendable {
        private struct State {
            var date: Date
            var onSet: (@Sendable () -> Void)?
        }

        private let state: Locked<State>

        init(_ date: Date) { state = Locked(State(date: date)) }

        var date: Date { state.withLock { $0.date } }

        func set(_ date: Date) {
            let onSet = state.withLock { state in
                state.date = date
                return state.onSet
            }
            onSet?()
        }

        func watch(_ onSet: @escaping @Sendable () -> Void) async {
            state.withLock { $0.onSet = onSet }
            // It may have been set before.
            onSet()
            await endOfTask()
        }
    }

    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let log = LogRecorder()

    /// Hourly tests, at least ten minutes apart; everything else as it is without a file.
    private func configuration() throws -> Configuration {
        var configuration = Configuration()
        configuration.speedTest.isEnabled = true
        let url = "http://127.0.0.1:\(try Loopback.closedPort())/"
        configuration.speedTest.servers = [SpeedTestServer(name: "nobody", dialect: .speedlab, url: url)]
        configuration.speedTest.schedule.rhythm = .interval(.seconds(3600))
        configuration.speedTest.schedule.jitter = .zero
        return configuration
    }

    private func service(
        _ clock: TestClock,
        history: SpeedTestHistory? = nil,
        isKept: Bool = false
    ) throws -> SpeedTestService {
        var logger = log.logger
        logger.logLevel = .debug
        return SpeedTestService(
            try configuration(),
            monitor: HealthMonitor(),
            history: history,
            saved: SpeedTestHistory.Saved(isKept: isKept),
            logger: logger,
            now: { clock.date },
            watchClock: { await clock.watch($0) }
        )
    }

    /// Runs it beside `body`.
    private func run(_ service: SpeedTestService, _ body: () async throws -> Void) async throws {
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await body()
        running.cancel()
        try await running.value
    }

    /// Reads lines until one begins so; how many of those before it began otherwise.
    private func line(_ start: String, countingBefore other: String = "error") async -> Int {
        var count = 0
        while let line = await log.next(), !line.hasPrefix(start) { count += line.hasPrefix(other) ? 1 : 0 }
        return count
    }

    /// Reads lines until a round of tests has ended: none has succeeded, so that the next is the first one again.
    private func roundEnd() async { _ = await line("info Scheduled the first speed test") }

    @Test func `after a clock that was ahead is set back, no test is planned in the far future`() async throws {
        let clock = TestClock(start)
        let service = try service(clock)
        try await run(service) {
            let ahead = start + 25 * 365 * 86_400
            clock.set(ahead)
            _ = await line("warning Speed test failed")
            await roundEnd()
            #expect(try #require(service.board.state.nextRun) > ahead)
            clock.set(start + 60)
            _ = await line("notice The clock was set")
            let next = try #require(service.board.state.nextRun)
            #expect(next > start && next <= start + 60 + 3600)
            clock.set(next)
            _ = await line("warning Speed test failed")
        }
    }

    @Test func `the first test comes after 30 s where its start is stored, and minutes later when it fails`()
        async throws
    {
        let clock = TestClock(start)
        let history = SpeedTestHistory(database: try Database(file: nil, schema: .exporter))
        let service = try service(clock, history: history, isKept: true)
        try await run(service) {
            _ = await line("info Scheduled the first speed test in 30 s, at most 500 MB")
            clock.set(start + 30)
            _ = await line("warning Speed test failed")
            await roundEnd()
            let next = try #require(service.board.state.nextRun)
            #expect((600...760).contains(next.timeIntervalSince(start + 30)))
            #expect(try await history.load().memory == service.board.state.stored.memory)
        }
    }

    @Test func `without a file the first test waits for min_gap, so that a crash loop is no test loop`() async throws {
        let service = try service(TestClock(start))
        try await run(service) {
            _ = await line("info Scheduled the first speed test in 10 min, at most 500 MB")
            #expect(service.board.state.nextRun == start + 600)
        }
    }

    @Test func `a clock that is set ahead starts a due test at once`() async throws {
        let clock = TestClock(start)
        let service = try service(clock)
        try await run(service) {
            clock.set(start + 86_400)
            _ = await line("warning Speed test failed")
        }
    }

    @Test func `without the event the clock is read each minute, and the log says so`() async throws {
        let service = SpeedTestService(
            try configuration(),
            monitor: HealthMonitor(),
            history: nil,
            saved: SpeedTestHistory.Saved(),
            logger: log.logger,
            watchClock: { _ throws(SystemError) in throw SystemError(call: "timerfd_create", code: ENOSYS) }
        )
        try await run(service) { _ = await line("warning The kernel does not report") }
    }

    @Test func `a direction that is no longer configured does not count in the gates`() throws {
        var configuration = try configuration()
        configuration.speedTest.directions = [.download]
        var saved = SpeedTestHistory.Saved()
        saved.reports = [.good()]
        let monitor = HealthMonitor()
        let service = SpeedTestService(
            configuration,
            monitor: monitor,
            history: nil,
            saved: saved,
            logger: log.logger
        )
        monitor.receive(.measured)
        let measurement = try #require(monitor.current?.evidence.measurement)
        #expect(measurement.download?.rate == .megabits(100) && measurement.upload == nil)
        withExtendedLifetime(service) {}
    }

    @Test func `a result that could not be stored is stored with the next write`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try $0.run("ALTER TABLE speedtest RENAME TO away") }
        let clock = TestClock(start)
        let history = SpeedTestHistory(database: database)
        let service = try service(clock, history: history)
        let first = Locked<Date?>(nil)
        try await run(service) {
            clock.set(start + 3600)
            _ = await line("error Cannot store")
            await roundEnd()
            first.withLock { $0 = service.board.state.results.last?.startedAt }
            try await database.write { try $0.run("ALTER TABLE away RENAME TO speedtest") }
            let answer = await service.request()
            #expect(answer == .accepted)
            _ = await line("notice Results, schedule and budget of speed tests are stored again")
            _ = await line("warning Speed test failed")
        }
        // Not before: another write that failed may still have held it.
        let stored = try await history.load().reports.map(\.startedAt)
        let failed = try #require(first.withLock { $0 })
        #expect(stored.count == 2 && stored.contains(failed), "each once")
    }

    @Test func `a reload with a smaller budget ends the running test`() async throws {
        let silent = try RawServer { $0.readAll() }
        defer { silent.close() }
        var configuration = try configuration()
        configuration.speedTest.servers[0].url = silent.url
        let clock = TestClock(start)
        let service = SpeedTestService(
            configuration,
            monitor: HealthMonitor(),
            history: nil,
            saved: SpeedTestHistory.Saved(),
            logger: log.logger,
            now: { clock.date },
            watchClock: { await clock.watch($0) }
        )
        try await run(service) {
            clock.set(start + 3600)
            _ = await line("info Speed test begins")
            configuration.speedTest.schedule.minGap = .seconds(900)
            service.apply(configuration)
            configuration.speedTest.budget.perRun = 1_000_000
            service.apply(configuration)
            _ = await line("warning Speed test failed: cancelled: the configuration")
        }
    }

    @Test func `what could not be read at the start is read before the first write, and counts from then on`()
        async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        let history = SpeedTestHistory(database: database)
        var budget = BudgetAccount()
        budget.ledger.charge(4_000_000_000, at: start)
        budget.reserved = 7
        let stored = budget
        try await history.save { ([.good()], (SpeedTestScheduler.Memory(), stored)) }
        let (clock, monitor) = (TestClock(start), HealthMonitor())
        monitor.receive(.measured)
        let service = SpeedTestService(
            try configuration(),
            monitor: monitor,
            history: history,
            saved: SpeedTestHistory.Saved(isProvisional: true),
            logger: log.logger,
            now: { clock.date },
            watchClock: { await clock.watch($0) }
        )
        #expect(service.board.read { $0.remaining(at: start).day } == 4_000_000_000)
        #expect(await service.request() == .refused(.budget))
        #expect(service.board.read { $0.remaining(at: start).day } == 0)
        #expect(service.board.read(\.results.last) == .good())
        #expect(monitor.current?.evidence.measurement?.download?.rate == .megabits(100))
        #expect(await service.request() == .refused(.budget))
        let saved = try await history.load()
        #expect(saved.budget == service.board.read(\.budget) && saved.budget.reserved == nil, "settled once")
        #expect(saved.reports == [.good()])
    }

    @Test func `while nothing can be stored no test starts, and one line says so`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try $0.run("ALTER TABLE speedtest_state RENAME TO away") }
        let clock = TestClock(start)
        let service = try service(clock, history: SpeedTestHistory(database: database))
        try await run(service) {
            clock.set(start + 3600)
            _ = await line("error Cannot store")
            _ = await line("debug Speed test skipped")
            await roundEnd()
            #expect(await service.request() == .refused(.storage))
            let counters = service.board.state.counters
            #expect(counters.skipped == [.storage: 2] && counters.runs == 0 && counters.failures.isEmpty)
            let next = try #require(service.board.state.nextRun)
            #expect(next > start + 3600 && next <= start + 3 * 3600, "not in a loop")
            clock.set(next)
            #expect(await line("debug Speed test skipped") == 0, "it was said before")
            await roundEnd()
            try await database.write { try $0.run("ALTER TABLE away RENAME TO speedtest_state") }
            #expect(await service.request() == .accepted)
            _ = await line("notice")
            _ = await line("warning Speed test failed")
        }
    }
}
