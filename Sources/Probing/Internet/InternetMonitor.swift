import Coordination
import FoundationEssentials
package import HTTPTransfer
import Posix
import Statistics

/// Monitors whether the internet can be reached over the path: the shell around `InternetStateMachine`.
///
/// It writes no files, follows no redirects and keeps no bodies.
package final class InternetMonitor: Sendable {
    struct State: Sendable {
        var current: InternetVerdict?
        var statistics = InternetStatistics()
        /// Of the last satisfied path: measurements belong to it.
        var uplink: InternetPath.Uplink?
        /// The changes of links and routes at the last pulse; nil before the first of an outage.
        var kernelChanges: UInt64?
    }

    private let configuration: InternetConfiguration
    let tools: RoundTools
    private let pulseTools: PulseTools
    private let passiveReport: @Sendable () async -> PassiveReport?
    private let random: @Sendable () -> Double
    private let refusals: RefusalLog
    private let onClockFault: @Sendable (Duration) -> Void
    private let onVerdict: @Sendable (InternetVerdict) -> Void
    let state: Locked<State>
    private let inbox = InternetInbox()

    /// - Parameters:
    ///   - configuration: the hosts to contact, and how often.
    ///   - transfers: for HTTP and HTTPS.
    ///   - connecting: for the literal addresses.
    ///   - pinging: for the routers.
    ///   - pulseTools: what is read and sent while offline, besides pings.
    ///   - renewLookups: called before each round, whose lookups must not join those of an earlier one.
    ///   - captive: queries the API of a portal (RFC 8908): whether this host is captive; nil: no answer. It is
    ///     cancelled after the timeout.
    ///   - passiveReport: reports the traffic of other programs since the last report; requested before each round
    ///     while online.
    ///   - refusals: gets the errors of routers to the checks.
    ///   - clock: for all waits.
    ///   - random: from 0 to 1, for the jitter.
    ///   - onLocalFailure: called with the error of each check that a limit of this machine ended; must not block.
    ///   - onClockFault: called after each round in which a certificate was not valid yet or expired by this host's clock,
    ///     and would be valid by that of a server, with this clock minus that one; must not block.
    ///   - onVerdict: called for each change of the verdict, in order; must not block.
    package init(
        configuration: InternetConfiguration,
        transfers: any HTTPTransferring,
        connecting: any Connecting,
        pinging: any Pinging,
        pulseTools: PulseTools = PulseTools(),
        renewLookups: @escaping @Sendable () -> Void = {},
        captive: @escaping @Sendable (_ uri: String) async -> Bool? = { _ in nil },
        passiveReport: @escaping @Sendable () async -> PassiveReport? = { nil },
        refusals: RefusalLog = RefusalLog(),
        clock: some Clock<Duration> = SuspendingClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        onLocalFailure: @escaping @Sendable (_ error: String) -> Void = { _ in },
        onClockFault: @escaping @Sendable (_ skew: Duration) -> Void = { _ in },
        onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) {
        var first = State()
        first.statistics.declare(configuration.probeNames)
        let state = Locked(first)
        self.configuration = configuration
        self.pulseTools = pulseTools
        self.passiveReport = passiveReport
        self.random = random
        self.refusals = refusals
        self.onClockFault = onClockFault
        self.onVerdict = onVerdict
        self.state = state
        tools = RoundTools(
            transfers: transfers,
            connecting: connecting,
            pinging: pinging,
            captive: captive,
            renewLookups: renewLookups,
            clock: InternetClock(clock),
            record: { sample in
                state.withLock { $0.statistics.add(sample, date: .now, at: .now) }
                refusals.note(sample.refusal)
                if sample.failure == .local { onLocalFailure(sample.detail) }
            }
        )
    }

    deinit { inbox.finish() }

    /// The last verdict; nil before the first, when the state is unknown.
    package var current: InternetVerdict? { state.read { $0.current } }

    /// What has been counted so far.
    package var statistics: InternetStatistics { state.read { $0.statistics } }

    /// Reports another path, or a changed one; starts a round at once.
    package func pathChanged(_ path: InternetPath) {
        state.withLock { state in
            guard path.isSatisfied, state.uplink != path.uplink else { return }
            if state.uplink != nil { state.statistics.restartWindows() }
            state.uplink = path.uplink
        }
        inbox.add(.pathChanged(path))
    }

    /// Reports the end of a suspend of this host, or that this process runs again; starts a round at once.
    package func resumed() { inbox.add(.resumed) }

    /// Reports the traffic of other programs, where the monitor has not requested it.
    ///
    /// Each report must begin where the last one ended, requested or not.
    package func observed(_ report: PassiveReport) { inbox.add(.observed(report)) }

    /// Reports the ongoing outage, else the last one: what is measured in it is in no window.
    package func outageChanged(_ outage: OutagePeriod?) { state.withLock { $0.statistics.change(outage) } }

    /// Reports that a target, the router included, went up or down: starts a round where that is news.
    ///
    /// - Parameters:
    ///   - name: of the target.
    ///   - result: of the probe that has just ended.
    package func probed(_ name: String, _ result: ProbeResult) {
        guard result.failure != .local else { return }
        let since = tools.clock.now().advanced(by: .zero - result.duration)
        let isAlive = result.isSuccess
        inbox.add(
            isAlive
                ? .sensed(.target(name), isAlive: true)
                : .failed(name, since: since, family: result.address?.family)
        )
    }

    /// Reports the packet loss among the last 100 packets to the internet, 0 to 1.
    package func measured(loss: Double) { inbox.add(.lossMeasured(loss)) }

    /// Applies another configuration.
    package func apply(_ configuration: InternetConfiguration) {
        state.withLock { $0.statistics.declare(configuration.probeNames) }
        inbox.add(.configured(configuration))
    }

    /// Runs until the task is cancelled; once only.
    ///
    /// Events reported before are handled first.
    package func run() async {
        var machine = InternetStateMachine(configuration: configuration)
        var round: ScopedTask?
        var passiveRequest: ScopedTask?
        var pulse: ScopedTask?
        var mtuSearch: ScopedTask?
        var timer: ScopedTask?
        var armed: InternetClock.Instant?
        for await _ in inbox.arrivals {
            while let event = inbox.next() {
                if case .timerFired = event { armed = nil }
                for action in machine.handle(event, at: tools.clock.now(), random: random()) {
                    switch action {
                    case .requestPassiveReport: passiveRequest = requestPassiveReport()
                    case .startRound(let plan): round = start(plan, configuration: machine.configuration)
                    case .cancelRound: round = nil
                    case .pulse(let plan): pulse = send(plan)
                    case .measureMTU(let addresses): mtuSearch = measureMTU(to: addresses)
                    case .publish(let verdict): publish(verdict)
                    }
                }
                guard machine.deadline != armed else { continue }
                armed = machine.deadline
                timer = armed.map(wake)
            }
        }
        await round.take()?.end()
        await passiveRequest.take()?.end()
        await pulse.take()?.end()
        await mtuSearch.take()?.end()
        await timer.take()?.end()
    }

    private func publish(_ verdict: InternetVerdict) {
        state.withLock { state in
            state.current = verdict
            if verdict.isOnline { state.kernelChanges = nil }
        }
        onVerdict(verdict)
    }

    private func start(_ plan: RoundPlan, configuration: InternetConfiguration) -> ScopedTask {
        tools.renewLookups()
        let round = InternetRound(plan: plan, configuration: configuration, tools: tools)
        return ScopedTask { [inbox, state, onClockFault] in
            await round.perform { report in
                inbox.add(.reported(report, round: plan.id))
                guard !Task.isCancelled, case .family(let family, let evidence) = report else { return }
                state.withLock { $0.statistics.note(evidence.clockSkew, over: family) }
                if let skew = evidence.clockFault(now: .now) { onClockFault(skew) }
            }
        }
    }

    private func send(_ pulse: Pulse) -> ScopedTask {
        let changes = pulseTools.kernelChanges()
        let hasChanged = state.withLock { state in
            defer { state.kernelChanges = changes }
            return state.kernelChanges.map { $0 != changes } ?? false
        }
        inbox.add(.sensed(.kernel, isAlive: false))
        if hasChanged { inbox.add(.sensed(.kernel, isAlive: true)) }
        return ScopedTask { [inbox, state, passiveReport, tools, pulseTools, refusals] in
            await withDiscardingTaskGroup { group in
                group.addTask {
                    guard let (source, result) = await pulse.send(with: tools.pinging, pulseTools) else { return }
                    state.withLock {
                        $0.statistics.spend(ByteCounts(received: result.receivedBytes, transmitted: result.sentBytes))
                    }
                    refusals.note(result.refusal)
                    // The failure of one that this process ended is not one of the network.
                    if !Task.isCancelled { inbox.add(.sensed(source, isAlive: result.isSuccess)) }
                }
                group.addTask {
                    let isReachable = await pulse.readNeighbours(with: pulseTools)
                    if !Task.isCancelled { inbox.add(.sensed(.neighbour, isAlive: isReachable)) }
                }
                group.addTask { if let report = await passiveReport() { inbox.add(.observed(report)) } }
            }
        }
    }

    private func measureMTU(to addresses: [AddressFamily: IPAddress]) -> ScopedTask {
        ScopedTask { [inbox, state, tools] in
            for (family, address) in addresses {
                let (mtu, traffic) = await MTUSearch.run(to: address, with: tools.pinging)
                state.withLock { $0.statistics.spend(traffic) }
                if !Task.isCancelled { inbox.add(.mtuMeasured(family, mtu)) }
            }
        }
    }

    private func requestPassiveReport() -> ScopedTask {
        ScopedTask { [inbox, passiveReport] in inbox.add(.passiveReport(await passiveReport())) }
    }

    private func wake(at instant: InternetClock.Instant) -> ScopedTask {
        ScopedTask { [inbox, clock = tools.clock] in
            guard (try? await clock.sleep(until: instant)) != nil else { return }
            inbox.add(.timerFired)
        }
    }
}

/// A task that is cancelled when its owner releases it.
struct ScopedTask: ~Copyable {
    private let task: Task<Void, Never>

    init(_ operation: @escaping @Sendable () async -> Void) { task = Task { await operation() } }

    deinit { task.cancel() }

    /// Cancels it and waits for its end.
    consuming func end() async {
        task.cancel()
        await task.value
    }
}

/// Any clock, read as the instants of verdicts.
struct InternetClock: Sendable {
    typealias Instant = SuspendingClock.Instant

    private let origin = SuspendingClock.now
    private let stopwatch: Stopwatch

    init(_ clock: some Clock<Duration>) { stopwatch = Stopwatch(clock) }

    func now() -> Instant { origin.advanced(by: stopwatch.elapsed) }

    /// Throws when the task is cancelled.
    func sleep(for duration: Duration) async throws { try await stopwatch.sleep(until: stopwatch.elapsed + duration) }

    /// Throws when the task is cancelled.
    func sleep(until instant: Instant) async throws { try await stopwatch.sleep(until: origin.duration(to: instant)) }
}
