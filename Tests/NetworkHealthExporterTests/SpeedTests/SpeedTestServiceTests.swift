import Foundation
import HTTPTransfer
import Lab
import Locking
import Logging
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Storage
import Testing

@testable import NetworkHealthExporter

/// The service with a clock that the test sets, against a closed port of this host: its tests fail at once.
@Suite(.timeLimit(.minutes(1)))
struct SpeedTestServiceTests {
    /// A clock, and the event of its being set.
    private final class TestClock: Sendable {
        private let state: Locked<(date: Date, onSet: (@Sendable () -> Void)?)>

        init(_ date: Date) { state = Locked((date, nil)) }

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
            try? await Task.sleep(for: .seconds(3600))
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

    private func service(_ clock: TestClock, history: SpeedTestHistory? = nil) throws -> SpeedTestService {
        var logger = log.logger
        logger.logLevel = .debug
        return SpeedTestService(
            monitor: HealthMonitor(),
            configurations: Broadcast(try configuration()),
            history: history,
            saved: SpeedTestHistory.Saved(),
            roots: Roots(),
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

    @Test func `after a clock that was ahead is set back, no test is planned in the far future`() async throws {
        let clock = TestClock(start)
        let service = try service(clock)
        try await run(service) {
            let ahead = start + 25 * 365 * 86_400
            clock.set(ahead)
            _ = await line("warning Speed test failed")
            // Its end comes after that line: the next test is planned when it begins.
            #expect(try #require(service.board.state.nextRun) > ahead)
            clock.set(start + 60)
            _ = await line("notice The clock was set")
            let next = try #require(service.board.state.nextRun)
            #expect(next > start && next <= start + 60 + 3600)
            clock.set(next)
            _ = await line("warning Speed test failed")
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
            monitor: HealthMonitor(),
            configurations: Broadcast(try configuration()),
            history: nil,
            saved: SpeedTestHistory.Saved(),
            roots: Roots(),
            logger: log.logger,
            watchClock: { _ throws(SystemError) in throw SystemError(call: "timerfd_create", code: ENOSYS) }
        )
        try await run(service) { _ = await line("warning The kernel does not report") }
    }

    @Test func `while nothing can be stored no test starts, and one line says so`() async throws {
        let database = try Database(file: nil, migrations: Migrations.all)
        try await database.write { try $0.run("ALTER TABLE speedtest_state RENAME TO away") }
        let clock = TestClock(start)
        let service = try service(clock, history: SpeedTestHistory(database: database))
        try await run(service) {
            clock.set(start + 3600)
            _ = await line("error Cannot store")
            _ = await line("debug Speed test skipped")
            #expect(await service.request() == .refused(.storage))
            let counters = service.board.state.counters
            #expect(counters.skipped == [.storage: 2] && counters.runs == 0 && counters.failures.isEmpty)
            let next = try #require(service.board.state.nextRun)
            #expect(next > start + 3600 && next <= start + 3 * 3600, "not in a loop")
            clock.set(next)
            #expect(await line("debug Speed test skipped") == 0, "it was said before")
            try await database.write { try $0.run("ALTER TABLE away RENAME TO speedtest_state") }
            #expect(await service.request() == .accepted)
            _ = await line("notice")
            _ = await line("warning Speed test failed")
        }
    }
}
