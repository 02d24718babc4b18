import FoundationEssentials
package import HTTPTransfer
import Locking

/// Watches whether there is an internet behind the path: the shell around `InternetStateMachine`.
///
/// It writes no file, follows no redirect and keeps no body.
package final class InternetMonitor: Sendable {
    private struct State {
        var current: InternetVerdict?
        var statistics = InternetStatistics()
        /// Of the last path that was satisfied: what was measured belongs to it.
        var uplink: InternetPath.Uplink?
    }

    private let configuration: InternetConfiguration
    private let instruments: RoundInstruments
    private let look: @Sendable () async -> PassiveReport?
    private let random: @Sendable () -> Double
    private let onVerdict: @Sendable (InternetVerdict) -> Void
    private let state: Locked<State>
    private let inbox = InternetInbox()

    /// - Parameters:
    ///   - configuration: whom to ask, and how often.
    ///   - transfers: for HTTP and HTTPS.
    ///   - connecting: for the literal addresses.
    ///   - pinging: for the routers.
    ///   - captive: asks a portal's own interface (RFC 8908) whether this host is held captive; nil: no answer. It is
    ///     cancelled after the timeout.
    ///   - look: what others' traffic tells since the report before; asked instead of the internet while all is well.
    ///   - clock: for all waits.
    ///   - random: from 0 to 1, for the jitter.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    package init(
        configuration: InternetConfiguration,
        transfers: any HTTPTransferring,
        connecting: any Connecting,
        pinging: any Pinging,
        captive: @escaping @Sendable (_ uri: String) async -> Bool? = { _ in nil },
        look: @escaping @Sendable () async -> PassiveReport? = { nil },
        clock: some Clock<Duration> = SuspendingClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        var first = State()
        first.statistics.declare(configuration.probeNames)
        let state = Locked(first)
        self.configuration = configuration
        self.look = look
        self.random = random
        self.onVerdict = onVerdict
        self.state = state
        instruments = RoundInstruments(
            transfers: transfers,
            connecting: connecting,
            pinging: pinging,
            captive: captive,
            timeline: Timeline(clock),
            record: { sample in state.withLock { $0.statistics.add(sample, date: .now) } }
        )
    }

    deinit { inbox.finish() }

    /// The last verdict; nil before the first, when the state is unknown.
    package var current: InternetVerdict? { state.withLock { $0.current } }

    /// What has been counted so far.
    package var statistics: InternetStatistics { state.withLock { $0.statistics } }

    /// The path is another one, or has lost what it was; starts a round at once.
    package func pathChanged(_ path: InternetPath) {
        state.withLock { state in
            guard path.isSatisfied, state.uplink != path.uplink else { return }
            if state.uplink != nil { state.statistics.restartWindows() }
            state.uplink = path.uplink
        }
        inbox.add(.pathChanged(path))
    }

    /// This host was asleep; starts a round at once.
    package func resumed() { inbox.add(.resumed) }

    /// What others' traffic tells, where nobody has asked with `look`.
    ///
    /// Each report has to begin where the one before ended, whichever way that was handed over.
    package func observed(_ report: PassiveReport) { inbox.add(.observed(report)) }

    /// Of the last 100 packets to the internet, how many were lost: 0 to 1.
    package func measured(loss: Double) { inbox.add(.lossMeasured(loss)) }

    /// Asks by other rules from now on.
    package func apply(_ configuration: InternetConfiguration) {
        state.withLock { $0.statistics.declare(configuration.probeNames) }
        inbox.add(.configured(configuration))
    }

    /// Watches until the task is cancelled; once only.
    ///
    /// What was told before is not lost.
    package func run() async {
        var machine = InternetStateMachine(configuration: configuration)
        var round: OwnedTask?
        var looking: OwnedTask?
        var timer: OwnedTask?
        var armed: Timeline.Instant?
        for await _ in inbox.arrivals {
            while let event = inbox.next() {
                if case .timerFired = event { armed = nil }
                for action in machine.handle(event, at: instruments.timeline.now(), random: random()) {
                    switch action {
                    case .look: looking = lookAround()
                    case .startRound(let plan): round = start(plan, configuration: machine.configuration)
                    case .cancelRound: round = nil
                    case .publish(let verdict): publish(verdict)
                    }
                }
                guard machine.deadline != armed else { continue }
                armed = machine.deadline
                timer = armed.map(wake)
            }
        }
        await round.take()?.end()
        await looking.take()?.end()
        await timer.take()?.end()
    }

    private func publish(_ verdict: InternetVerdict) {
        state.withLock { $0.current = verdict }
        onVerdict(verdict)
    }

    private func start(_ plan: RoundPlan, configuration: InternetConfiguration) -> OwnedTask {
        let round = InternetRound(plan: plan, configuration: configuration, instruments: instruments)
        return OwnedTask { [inbox] in
            await round.perform { inbox.add(.reported($0, round: plan.id)) }
        }
    }

    private func lookAround() -> OwnedTask {
        OwnedTask { [inbox, look] in inbox.add(.looked(await look())) }
    }

    private func wake(at instant: Timeline.Instant) -> OwnedTask {
        OwnedTask { [inbox, timeline = instruments.timeline] in
            guard (try? await timeline.sleep(until: instant)) != nil else { return }
            inbox.add(.timerFired)
        }
    }
}

/// A task that is cancelled when its owner lets go of it.
struct OwnedTask: ~Copyable {
    private let task: Task<Void, Never>

    init(_ operation: @escaping @Sendable () async -> Void) { task = Task { await operation() } }

    deinit { task.cancel() }

    /// Cancels it and waits for its end.
    consuming func end() async {
        task.cancel()
        await task.value
    }
}

/// Any clock, told in the instants of verdicts.
struct Timeline: Sendable {
    typealias Instant = SuspendingClock.Instant

    let now: @Sendable () -> Instant
    private let sleeping: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let (origin, start) = (SuspendingClock().now, clock.now)
        now = { origin.advanced(by: start.duration(to: clock.now)) }
        sleeping = { try await clock.sleep(for: $0) }
    }

    /// Throws when the task is cancelled.
    func sleep(for duration: Duration) async throws { try await sleeping(duration) }

    /// Throws when the task is cancelled.
    func sleep(until instant: Instant) async throws { try await sleeping(now().duration(to: instant)) }
}
