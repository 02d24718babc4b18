import FoundationEssentials
import Locking
import Logging
import NetworkHealth
import Posix
import ServiceLifecycle
import SpeedTestCore

/// Has speed tests made when the schedule, or somebody, asks for one: one at a time, and never because of a scrape.
final class SpeedTestService: Service {
    /// Calls what it is given each time the wall clock is set, until the task is cancelled.
    typealias WatchClock = @Sendable (@escaping @Sendable () -> Void) async throws(SystemError) -> Void

    /// What becomes of a request for a test.
    enum Answer: Sendable, Equatable {
        case accepted
        case inactive
        case refused(SkipReason)
    }

    let board: SpeedTestBoard
    private let runner: SpeedTestRunner
    private let monitor: HealthMonitor
    private let configurations: Broadcast<Configuration>
    private let now: @Sendable () -> Date
    private let watchClock: WatchClock
    private let logger: Logger
    private let stopwatch = Stopwatch(.continuous)
    private let alarm: Alarm

    init(
        monitor: HealthMonitor,
        configurations: Broadcast<Configuration>,
        history: SpeedTestHistory?,
        saved: SpeedTestHistory.Saved,
        roots: Roots,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { .now },
        watchClock: @escaping WatchClock = ClockWatch.run
    ) {
        let section = configurations.current?.speedTest ?? SpeedTestSection()
        board = SpeedTestBoard(SpeedTestState(section: section, saved: saved, now: now()))
        runner = SpeedTestRunner(
            board: board,
            monitor: monitor,
            configurations: configurations,
            history: history,
            roots: roots,
            now: now,
            logger: logger
        )
        (self.monitor, self.configurations, self.logger) = (monitor, configurations, logger)
        (self.now, self.watchClock) = (now, watchClock)
        alarm = Alarm(stopwatch)
    }

    /// Asks for one now, whatever the schedule says; it begins soon after.
    ///
    /// Writes to the disk first: what a test uses must be stored before it begins.
    func request() async -> Answer {
        guard board.update({ $0.section.isActive }) else { return .inactive }
        let canStore = await runner.save()
        let surroundings = SpeedTestSurroundings(monitor.current)
        let answer: Answer = board.update { state in
            guard state.section.isActive else { return .inactive }
            return state.request(surroundings, canStore: canStore, now: now()).map(Answer.refused) ?? .accepted
        }
        if answer == .accepted { alarm.wake() }
        return answer
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.followConfigurations() }
                // A test that waits for a network begins with it.
                group.addTask { for await _ in self.monitor.changes() { self.alarm.wake() } }
                group.addTask { await self.followClock() }
                group.addTask { await self.follow() }
            }
        }
    }

    private func followConfigurations() async {
        for await configuration in configurations.values() {
            let isNew = board.update { state in
                guard state.section != configuration.speedTest else { return false }
                state.apply(configuration.speedTest, now: now())
                return true
            }
            if isNew { await runner.save() }
            alarm.wake()
        }
    }

    /// Has the schedule looked at again whenever the clock is set.
    private func followClock() async {
        do throws(SystemError) {
            try await watchClock { [alarm] in alarm.wake() }
        } catch {
            logger.warning("The kernel does not report when the clock is set, so it is read each minute: \(error)")
            while (try? await Task.sleep(for: .seconds(60))) != nil { alarm.wake() }
        }
    }

    /// Acts whenever something is due.
    private func follow() async {
        while !Task.isCancelled {
            if board.update({ $0.correct(for: now()) }) {
                logger.notice("The clock was set, and the speed tests' schedule follows it")
                await runner.save()
            }
            let next = board.update { $0.nextDecision(SpeedTestSurroundings(monitor.current)) }
            let wait = min(max(0, next?.timeIntervalSince(now()) ?? .infinity), Self.longestSleep)
            if wait > 0 { await alarm.sleep(until: stopwatch.elapsed + .seconds(wait)) } else { await act() }
        }
    }

    /// Seconds; a day, since a clock that is slewed moves without an event.
    private static let longestSleep = 86_400.0

    private func act() async {
        let current = SpeedTestSurroundings(monitor.current)
        if let request = board.update({ $0.takeRequest(current, now: now()) }) {
            await runner.run(latencyOnly: request.isLatencyOnly)
            return
        }
        let load = await runner.linkLoad()
        guard !Task.isCancelled else { return }
        let surroundings = SpeedTestSurroundings(monitor.current, load: load)
        switch board.update({ $0.decide(surroundings, now: now()) }) {
        case .wait: break
        case .run(let latencyOnly): await runner.run(latencyOnly: latencyOnly)
        case .skip(let reason):
            logger.info("Speed test skipped", metadata: ["reason": "\(reason.rawValue)"])
            await runner.save()
        }
    }
}
