import FoundationEssentials
import Locking
import Logging
import NetworkHealth
import Posix
import ServiceLifecycle
import SpeedTestCore

/// Runs speed tests by the schedule and on request: one at a time, and never because of a scrape.
final class SpeedTestService: Service {
    /// Calls its argument each time the wall clock is set, until the task is cancelled.
    typealias WatchClock = @Sendable (@escaping @Sendable () -> Void) async throws(SystemError) -> Void

    /// The answer to a request for a test.
    enum Answer: Sendable, Equatable {
        case accepted
        case inactive
        /// `for`: seconds, where the time of the next test is known.
        case refused(SpeedTestRefusal, for: TimeInterval? = nil)
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
        let state = SpeedTestState(section: section, saved: saved, now: now())
        board = SpeedTestBoard(state)
        monitor.learn(state.results, of: section.directions)
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

    /// The last test, failed or not, with the estimate for the present uplink, and the last good values; nil before the first.
    var document: SpeedTestDocument? {
        let network = SpeedTestNetwork(monitor.current)
        return board.read { state in
            state.results.last.map { report in
                SpeedTestDocument(
                    last: LastSpeedTest(report: report, bytesPerMonth: state.bytesPerMonth(network)),
                    results: state.results(on: network.uplink, at: now())
                )
            }
        }
    }

    /// What a request would be answered now, apart from the disk; nothing is requested or counted.
    func answer() -> Answer {
        var state = board.state
        return request(&state, SpeedTestNetwork(monitor.current), canStore: true)
    }

    /// Requests a test outside of the schedule; it begins soon after.
    ///
    /// Writes to the disk first: the bytes that a test uses must be stored before it begins.
    func request() async -> Answer {
        guard board.read(\.section.isActive) else { return .inactive }
        let canStore = await runner.save()
        let network = SpeedTestNetwork(monitor.current)
        let answer = board.update { request(&$0, network, canStore: canStore) }
        if answer == .accepted { alarm.wake() }
        return answer
    }

    private func request(_ state: inout SpeedTestState, _ network: SpeedTestNetwork, canStore: Bool) -> Answer {
        guard state.section.isActive else { return .inactive }
        let now = now()
        guard let refusal = state.request(network, canStore: canStore, now: now) else { return .accepted }
        return .refused(refusal, for: refusal == .gap ? state.requestGap(at: now) : nil)
    }

    func run() async throws {
        if let notice = configurations.current?.speedTestNotice { logger.info("\(notice)") }
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.followConfigurations() }
                // A test that waits for the network begins as soon as the host is online.
                group.addTask { for await _ in self.monitor.changes() { self.alarm.wake() } }
                group.addTask { await self.followClock() }
                group.addTask { await self.follow() }
            }
        }
    }

    private func followConfigurations() async {
        for await configuration in configurations.values() {
            let section = configuration.speedTest
            let known = board.update { state -> SpeedTestResults? in
                guard state.section != section else { return nil }
                state.apply(section, SpeedTestNetwork(monitor.current), now: now())
                return state.results
            }
            if let known {
                monitor.learn(known, of: section.directions)
                await runner.save()
                runner.logStretch()
            }
            alarm.wake()
        }
    }

    /// Re-reads the schedule whenever the clock is set.
    private func followClock() async {
        do throws(SystemError) {
            try await watchClock { [alarm] in alarm.wake() }
        } catch {
            logger.warning("The kernel does not report when the clock is set, so it is read each minute: \(error)")
            while (try? await Task.sleep(for: .seconds(60))) != nil { alarm.wake() }
        }
    }

    /// Runs the test or the decision that is due.
    private func follow() async {
        var announced: Date?
        while !Task.isCancelled {
            announceFirst(&announced)
            if board.update({ $0.correct(SpeedTestNetwork(monitor.current), for: now()) }) {
                logger.notice("The clock was set, and the speed tests' schedule follows it")
                await runner.save()
            }
            if board.read(\.isUnsettled) { await runner.save() }
            let network = SpeedTestNetwork(monitor.current)
            let (next, isUnsettled) = board.read { ($0.nextDecision(network), $0.isUnsettled) }
            let longest = isUnsettled ? Self.retry : Self.longestSleep
            let wait = min(max(0, next?.timeIntervalSince(now()) ?? .infinity), longest)
            if wait > 0 { await alarm.sleep(until: stopwatch.elapsed + .seconds(wait)) } else { await act() }
        }
    }

    /// Logs when the first test comes, each time that this has changed.
    private func announceFirst(_ announced: inout Date?) {
        let (first, most) = board.read { ($0.firstRun, $0.allowance(now: now())) }
        guard let first, first != announced else { return }
        announced = first
        let delay = SpeedTestText.delay(first.timeIntervalSince(now()))
        logger.info("Scheduled the first speed test in \(delay), at most \(SpeedTestText.size(most))")
    }

    /// Seconds; a day, since a clock that is slewed moves without an event.
    private static let longestSleep = 86_400.0
    /// Seconds from a failed write to the next attempt.
    private static let retry = 60.0

    private func act() async {
        let current = SpeedTestNetwork(monitor.current)
        if case .run(let latencyOnly) = board.update({ $0.takeRequest(current, now: now()) }) {
            await runner.run(latencyOnly: latencyOnly)
            return
        }
        let load = await runner.linkLoad()
        guard !Task.isCancelled else { return }
        let network = SpeedTestNetwork(monitor.current, load: load)
        switch board.update({ $0.decide(network, now: now()) }) {
        case .wait: break
        case .run(let latencyOnly): await runner.run(latencyOnly: latencyOnly)
        case .skip(let reason):
            logger.info("Speed test skipped", metadata: ["reason": "\(reason.rawValue)"])
            await runner.save()
            runner.logStretch()
        }
    }
}
