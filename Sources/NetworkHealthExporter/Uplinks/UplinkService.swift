import Coordination
import FoundationEssentials
import Logging
import NetworkHealth
import NetworkPath
import Posix
import Probing
import ServiceLifecycle
import Statistics

/// Watches every uplink of this host: which is in use, and whether the others would work.
///
/// Reads the path, the state, the latency and the exporter of the host, whose uplinks take the place of those here; names the uplinks of speed tests. Sends its own probes through the uplinks that are not in use, or that share the traffic.
/// Requirements, the history, the views of the state, webhooks and events read it.
final class UplinkService: Service, Part {
    /// What happens to the uplinks.
    let news = Broadcast(ofEvents: UplinkEvent.self)
    /// Says that there may be outages of standbys to take.
    let outageNews = Broadcast<Void>(())
    private let host: HostMonitor
    private let internet: InternetService
    private let follower: HostFollower?
    /// What the exporter of the host says of its own.
    private let adopted = Locked(UplinkReadings())
    private let probe: UplinkProbe
    private let hopMoves: Broadcast<AddressFamily>
    private let addresses: PublicAddressWatch
    private let state: Locked<UplinkState>
    private let alarm: Alarm
    private let changed = Observers<Void>()
    private let now: @Sendable () -> SuspendingClock.Instant
    private let start = SuspendingClock.now
    private let logger: Logger

    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ targets: TargetService,
        _ internet: InternetService,
        _ speedTests: SpeedTestService,
        _ faults: FaultService,
        _ follower: HostFollower?,
        now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
    ) {
        (self.host, self.internet, self.follower, self.now, logger) = (host, internet, follower, now, context.logger)
        probe = targets.engine.uplinkProbe
        hopMoves = faults.hops.moves
        addresses = PublicAddressWatch(context.configuration.stun, ask: targets.engine.stunClient.ask)
        state = Locked(UplinkState(UplinkPlan(context.configuration)))
        alarm = Alarm(Stopwatch(SuspendingClock()))
        speedTests.board.setNaming { [state] uplink in state.read { $0.board.name(of: uplink) } }
        follower?.uplinksChanged.add { [weak self] _ in self?.adopt() }
    }

    func apply(_ configuration: Configuration) {
        state.withLock { $0.board.apply(UplinkPlan(configuration)) }
        addresses.apply(configuration.stun)
        decide()
        alarm.wake()
    }

    /// Calls the observer after each decision about an uplink.
    func onChange(_ observer: @escaping @Sendable () -> Void) { changed.add { _ in observer() } }

    /// The outages of standbys that have begun or ended since the last call, which the history stores.
    func takeOutages() -> [UplinkOutage] { state.withLock { $0.board.takeOutages() } }

    /// The outcomes of the last probes through each uplink, which the history stores.
    var points: [PointWindow] { state.read(\.points) }

    /// Bytes of IP packets.
    var traffic: ByteCounts {
        var traffic = state.read(\.traffic)
        traffic += addresses.traffic
        return traffic
    }

    /// All uplinks that were ever known, those of the configuration first; the latency of the one in use is that of the network.
    ///
    /// In a container those of its host, also while it is silent.
    var reports: [UplinkReport] {
        if let follower { return follower.uplinks }
        let latency = internet.latency
        return known.map { report in
            guard report.isAlone else { return report }
            var report = report
            let isOnline = report.isOnline == true
            report.latency = isOnline ? latency?.latency : nil
            report.lossRatio = isOnline ? latency?.lossRatio : nil
            return report
        }
    }

    /// The same without the latency of the network, which takes time with many targets.
    private var known: [UplinkReport] {
        guard let follower else {
            let gap = host.health.gap
            return state.read { $0.board.reports(at: now(), after: gap) }
        }
        return follower.uplinks.filter { $0.origin == .host }
    }

    /// nil: unknown.
    var documents: [UplinkDocument]? { documents(isCounted: false) }

    /// With what changes without an event; nil: unknown.
    func documents(isCounted: Bool) -> [UplinkDocument]? {
        let (reports, now, date) = (reports, now(), Date.now)
        if follower != nil, !reports.contains(where: { $0.origin == .host }) { return nil }
        return reports.map { UplinkDocument($0, now: now, date: date, isCounted: isCounted) }
    }

    var collectors: [Collector] {
        [
            Collector(
                "uplinks",
                .moving,
                of: {
                    let known = self.known
                    return known.count > 1 && self.follower == nil ? self.reports : known
                },
                {
                    let families = $0.count > 1 ? UplinkMetrics.families($0) : UplinkMetrics.switchesInside($0)
                    return UplinkMetrics.info($0) + families
                }
            )
        ]
    }

    func run() async throws {
        // Those of this network namespace are not shown.
        guard follower == nil else { return try await gracefulShutdown() }
        let moves = hopMoves.values()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await family in moves { self.take(.init(.hop, family)) } }
                group.addTask {
                    await self.addresses.run {
                        self.host.health.current
                    } onFindings: {
                        self.take($0, over: $1)
                    }
                }
                group.addTask { for await ways in self.host.path.waysOut() { self.decide(ways) } }
                group.addTask { for await _ in self.host.path.resumes() { self.resumed() } }
                group.addTask {
                    for await health in self.host.health.changes() {
                        self.decide(nil, health)
                        self.addresses.follow(health)
                    }
                }
                while !Task.isCancelled {
                    self.decide()
                    let turns = self.state.withLock { $0.board.start(at: self.now()) }
                    for turn in turns { group.addTask { await self.perform(turn) } }
                    let deadline = self.state.read(\.board.deadline)
                    await self.alarm.sleep(until: deadline.map { self.start.duration(to: $0) } ?? .seconds(86_400))
                }
            }
        }
    }

    /// Takes what the exporter of the host says.
    private func adopt() {
        guard let new = follower?.uplinks else { return }
        report(adopted.withLock { $0.take(new, at: now()) })
        changed(())
    }

    func decide(_ ways: [WayOut]? = nil, _ health: HealthState? = nil) {
        report(state.withLock { $0.board.update(ways, health, at: now()) })
        if ways != nil || health != nil { alarm.wake() }
    }

    /// This host was suspended: its clock stood still, so that no state has a gap.
    func resumed() {
        state.withLock { $0.board.resumed(at: now()) }
        alarm.wake()
    }

    /// Takes a sign of a switch behind the router.
    func take(_ sign: InsideSwitches.Sign) {
        report(state.withLock { $0.board.take(sign, at: now()) })
    }

    /// Takes what STUN servers have answered: the name by it comes first.
    func take(_ findings: PublicAddressWatch.Findings, over uplink: Uplink) {
        for (family, addresses) in findings.addresses {
            report(state.withLock { $0.board.take(addresses, of: family, over: uplink, at: now()) })
        }
        for family in findings.changed { take(.init(.address, family)) }
        changed(())
        alarm.wake()
    }

    /// Asks the kernel whether a socket that is bound to the uplink still has a route, then probes the internet through it.
    private func perform(_ turn: UplinkBoard.Turn) async {
        var round = UplinkRound(.inconclusive)
        // Read to see whether the turn is still possible; the board takes new routes in `run`, in their order.
        if await host.path.survey().map(turn.isPossible) != false {
            let addresses = state.read { $0.board.isCurrent(turn) ? $0.board.plan.addresses : nil }
            guard let addresses else { return }
            round = await probe.round(through: turn.binding, to: addresses)
            if round.verdict == .silent, !(await isWitnessed(turn, &round)) { round.verdict = .inconclusive }
        }
        guard !Task.isCancelled else { return }
        report(state.withLock { [round] in $0.finish(turn, round, at: now()) })
        alarm.wake()
    }

    /// Whether the same addresses answer over another uplink: if not, they may be silent themselves.
    private func isWitnessed(_ turn: UplinkBoard.Turn, _ round: inout UplinkRound) async -> Bool {
        let (witnesses, addresses) = state.read { ($0.board.witnesses(against: turn), $0.board.plan.addresses) }
        guard let witnesses else { return true }
        for witness in witnesses {
            let other = await probe.round(through: witness, to: turn.families(of: addresses))
            round.traffic += other.traffic
            if other.verdict == .answered { return true }
        }
        return false
    }

    private func report(_ events: [UplinkEvent]) {
        for event in events {
            let document = UplinkEventDocument(event, now: now(), date: .now)
            logger.log(level: document.cause == nil ? .notice : .warning, "\(document.sentence)")
            news.send(event)
        }
        outageNews.send(())
        changed(())
    }
}

extension UplinkPlan {
    /// Without checks of the internet no host there is contacted.
    fileprivate init(_ configuration: Configuration) {
        let internet = configuration.internet
        self.init(rules: configuration.uplinks, addresses: internet.isEnabled ? internet.configuration.literals : [])
    }
}
