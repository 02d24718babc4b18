import Coordination
import FoundationEssentials
import Logging
import MicroHTTP
import NetworkHealth
import Posix
import ServiceLifecycle
import SpeedTestCore

/// Runs speed tests by the schedule and on request: one at a time, and never because of a scrape.
///
/// Reads the state of the path, and the exporter of the host. Requirements, the event stream and the status read its results.
final class SpeedTestService: Service, Part {
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
    private let follower: HostFollower?
    private let settings: Settings
    private let browsers: BrowserGuard
    /// Has a current value.
    private let sections: Broadcast<SpeedTestSection>
    private let now: @Sendable () -> Date
    private let watchClock: WatchClock
    private let logger: Logger
    private let stopwatch = Stopwatch(.continuous)
    private let alarm: Alarm

    init(
        _ configuration: Configuration,
        monitor: HealthMonitor,
        follower: HostFollower? = nil,
        history: SpeedTestHistory?,
        saved: SpeedTestHistory.Saved,
        settings: Settings = Settings(),
        browsers: BrowserGuard = BrowserGuard(names: KnownNames()),
        logger: Logger,
        now: @escaping @Sendable () -> Date = { .now },
        watchClock: @escaping WatchClock = ClockWatch.run
    ) {
        let section = configuration.speedTest
        let state = SpeedTestState(section: section, saved: saved, plans: configuration.plans, now: now())
        board = SpeedTestBoard(state)
        sections = Broadcast(section)
        monitor.learn(state.results, of: section.directions)
        runner = SpeedTestRunner(
            board: board,
            monitor: monitor,
            sections: sections,
            history: history,
            roots: settings.path.roots,
            now: now,
            logger: logger
        )
        (self.monitor, self.follower, self.logger) = (monitor, follower, logger)
        (self.settings, self.browsers) = (settings, browsers)
        (self.now, self.watchClock) = (now, watchClock)
        alarm = Alarm(stopwatch)
    }

    convenience init(_ context: PartContext, _ host: HostMonitor, _ follower: HostFollower?) {
        self.init(
            context.configuration,
            monitor: host.health,
            follower: follower,
            history: SpeedTestHistory(database: context.storage.database),
            saved: context.storage.saved,
            settings: context.settings,
            browsers: context.browsers,
            logger: context.logger
        )
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

    /// What limits every answer that needs a speed; nil where nothing does, or where the host's tests may take the place of those here.
    var notice: String? { follower == nil ? board.read(\.section.notice) : nil }

    /// The speed tests of the host, where none are configured here; nil: there are none, or they are unknown.
    var adopted: SpeedTestDocument? { board.read(\.section.isActive) ? nil : follower?.speedTests }

    /// Whether the exporter of the host answers; nil: none is configured.
    var isHostUp: Bool? { follower?.isUp }

    /// Whether the exporter of the host is configured and does not answer.
    var isHostSilent: Bool { isHostUp == false }

    /// Why the cost of the path is unknown, where it is.
    var costGap: CostGap { CostGap(monitor.current, isHostSilent: isHostSilent) }

    func apply(_ configuration: Configuration) {
        board.update { $0.plans = configuration.plans }
        sections.send(configuration.speedTest)
    }

    var collectors: [Collector] {
        [
            Collector(
                "speedtest",
                of: { [self] in
                    let uplink = SpeedTestNetwork(monitor.current).uplink
                    return SpeedTestMetrics.Shown(
                        own: board.read { .init($0, on: uplink) },
                        adopted: adopted?.results ?? []
                    )
                },
                { SpeedTestMetrics.families($0.own) + SpeedTestMetrics.measured($0.adopted) }
            ),
            Collector(
                "plan",
                of: { [self] in
                    let uplink = SpeedTestNetwork(monitor.current).uplink
                    return board.read { state in
                        PlanMetrics.Facts(
                            plans: state.plans,
                            results: state.results(on: uplink, at: now()),
                            confirmations: state.counters.confirmations
                        )
                    }
                },
                PlanMetrics.families
            ),
        ]
    }

    /// `/api/v1/speedtest`.
    var view: SpeedTestView {
        SpeedTestView(service: self, isAllowed: settings.allowsAdminAPI, browsers: browsers)
    }

    var routes: [Route] {
        [
            settings.route(.get, SpeedTestView.path, "speedtest", .immediate(view.last)),
            settings.route(.post, SpeedTestView.path, "speedtest", .waiting(view.start)),
        ]
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
        if let notice { logger.info("\(notice)") }
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
        for await section in sections.values() {
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
