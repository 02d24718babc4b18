import Coordination
import FoundationEssentials
import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import Posix
import Probing
import ServiceLifecycle
import SpeedTestCore
import Statistics

/// Finds out where a fault is, and shows it with its evidence.
///
/// Probes the routers on the way (`hops`), and asks the name servers. Reads the path, the internet, the targets, the speed tests, and
/// what the exporter of the host has found, and gives the state the place of an outage. The views of the state, webhooks and events
/// read it.
final class FaultService: Service, Part {
    /// How often it decides: what a window of probes shows has no event of its own.
    ///
    /// An outage has to be placed within 15 s, and five probes without an answer take 8 s of that. Therefore a target that goes down starts a decision at once.
    private static let pace = (calm: Duration.seconds(4), trouble: Duration.seconds(1))

    private struct State {
        var setup: HopSetup
        var board = FaultBoard()
        var suspicion = Suspicion()
        var uplinks = UplinkChanges()
        var link = LinkHistory()
        var rates = DeviceRates()
        /// Of the last decision.
        var evidence = FaultEvidence()
        /// Whether there was one.
        var isDecided = false
        /// Whether the log says that routers are probed.
        var isAnnounced = false
    }

    /// Each fault when it begins, and when it has ended.
    let news = Broadcast(ofEvents: FaultEvent.self)
    private let host: HostMonitor
    private let follower: HostFollower?
    private let reader: EvidenceReader
    private let speedTests: SpeedTestBoard
    let hops: HopMonitor
    private let far: FarPings
    let resolvers: ResolverMonitor
    private let settings: Settings
    private let state: Locked<State>
    private let stopwatch: Stopwatch
    private let alarm: Alarm
    private let now: @Sendable () -> OutcomeWindow.Instant
    private let logger: Logger

    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ targets: TargetService,
        _ internet: InternetService,
        _ speedTests: SpeedTestService,
        _ follower: HostFollower?,
        now: @escaping @Sendable () -> OutcomeWindow.Instant = { .now }
    ) {
        self.now = now
        (self.host, self.follower, settings, logger) = (host, follower, context.settings, context.logger)
        let setup = HopSetup(context.configuration)
        let far = FarPings { [engine = targets.engine] address in
            var target = Target(name: Target.noName, address: "\(address)", probe: ICMPProbe())
            target.timeout = .seconds(2)
            return await engine.probe(target, in: ProbeContext())
        }
        hops = targets.engine.hopMonitor(setup.probes, onRound: far.roundBegan)
        self.far = far
        self.speedTests = speedTests.board
        resolvers = targets.engine.resolverMonitor(setup.resolvers)
        reader = EvidenceReader(
            targets: targets.monitor,
            internet: internet,
            speedTests: speedTests.board,
            hops: hops,
            far: far,
            resolvers: resolvers,
            procfs: settings.path.roots.procfs
        )
        state = Locked(State(setup: setup))
        stopwatch = Stopwatch(.continuous)
        alarm = Alarm(stopwatch)
        targets.onChange { [alarm] in if $0.isUpOrDown, $0.result.failure != nil { alarm.wake() } }
        speedTests.board.setQueueLocator { [weak self] in self?.queue(under: $0, rise: $1) }
    }

    /// Bytes of IP packets.
    var traffic: ByteCounts {
        var traffic = hops.traffic
        traffic += far.traffic
        traffic += resolvers.traffic
        return traffic
    }

    func apply(_ configuration: Configuration) {
        let setup = HopSetup(configuration)
        state.withLock { $0.setup = setup }
        hops.apply(setup.probes)
        resolvers.apply(setup.resolvers)
        alarm.wake()
    }

    var collectors: [Collector] {
        [
            Collector("faults", of: { self.pairs }, FaultMetrics.faults),
            Collector("fault_seconds", .moving, of: { self.seconds }, FaultMetrics.seconds),
            Collector("hops", .moving, of: { self.shownHops }, FaultMetrics.hops),
            Collector("resolvers", of: { self.resolvers.reports.map(ShownResolver.init) }, FaultMetrics.resolvers),
        ]
    }

    var routes: [Route] {
        [settings.route(.get, DiagnosisDocument.path, "diagnosis", .immediate { _ in .json(self.diagnosis.json) })]
    }

    /// What is wrong now, where, and how that is known.
    var diagnosis: DiagnosisDocument {
        let (faults, evidence) = state.read { ($0.board.faults, $0.evidence) }
        return DiagnosisDocument(faults, evidence, shownHops, isHostSilent: isHostSilent, now: now(), date: .now)
    }

    /// Whether only the exporter of the host would know of most faults, and does not say.
    private var isHostSilent: Bool { follower.map { $0.faults == nil } ?? false }

    private var pairs: FaultMetrics.Pairs {
        let (pairs, isDecided) = state.read { (Set($0.board.faults.map(\.pair)), $0.isDecided) }
        return FaultMetrics.Pairs(found: pairs, areAll: isDecided && !isHostSilent)
    }

    /// What is wrong now, the nearest to this host first; nil before the first decision, and while nothing is found and the exporter of
    /// the host is silent.
    var found: [Fault]? {
        let (faults, isHostSilent) = (state.read { $0.isDecided ? $0.board.faults : nil }, isHostSilent)
        return faults?.isEmpty == true && isHostSilent ? nil : faults
    }

    /// The same as JSON documents have it.
    var documents: [FaultDocument]? {
        let (now, date) = (now(), Date.now)
        return found?.map { FaultDocument($0, now: now, date: date) }
    }

    /// nil where it is not watched.
    var provider: ProviderHop? {
        let (evidence, setup) = state.read { ($0.evidence, $0.setup) }
        guard let path = evidence.path, setup.isEnabled(over: path) else { return nil }
        return ProviderHop(evidence, at: now())
    }

    /// The faults of now, and for how long each has been there; `unheard`: see `FaultBoard`.
    var aged: (faults: [(fault: Fault, age: Duration)], unheard: Set<Fault.Pair>) {
        state.read { [now = now()] state in
            let faults = state.board.faults.map { (fault: $0, age: $0.age(at: now)) }
            return (faults: faults, unheard: Set(state.board.unheard.map(\.pair)))
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.hops.run() }
                group.addTask { await self.far.run() }
                group.addTask { await self.resolvers.run() }
                group.addTask { for await _ in self.host.health.changes() { self.alarm.wake() } }
                group.addTask { await self.followSpeedTests() }
                group.addTask { await self.decideAgainAndAgain() }
            }
        }
    }

    /// Probes more often from the first moment of a test on: its begin is no change of the state.
    private func followSpeedTests() async {
        var phase: SpeedTestProgress.Phase?
        for await news in speedTests.news.values() {
            let current: SpeedTestProgress.Phase? =
                if case .progress(let progress) = news { progress.phase } else { nil }
            if current != phase { alarm.wake() }
            phase = current
        }
    }

    private func decideAgainAndAgain() async {
        while !Task.isCancelled {
            let mode = decide()
            await alarm.sleep(until: stopwatch.elapsed + (mode == .calm ? Self.pace.calm : Self.pace.trouble))
        }
    }

    /// Decides by what is known now, and sets the pace of the probes that follows.
    @discardableResult
    func decide() -> HopMode {
        // After time in which nothing was observed, an outage of before is not known to last.
        host.health.noticeGap()
        guard let health = host.health.current else { return .calm }
        let now = now()
        let reading = host.path.devices
        let devices = reading.counters
        let counters = health.uplink.flatMap { devices[$0.device] }
        // Also while it carries no path.
        let device = health.path.lowestInterface?.name
        let (setup, rates, link, isNewUplink) = state.withLock { state in
            state.rates.add(counters, on: health.uplink, at: reading.at)
            let link = state.link.add(device, device.flatMap { devices[$0] }, at: now)
            return (state.setup, state.rates, link, state.uplinks.take(health.path))
        }
        if isNewUplink { far.restart() }
        far.keep(setup.destinations(over: health.path))
        var evidence = reader.read(health, setup, rates, at: now)
        evidence.link = link
        let adopted = follower?.faults
        let (change, place, mode) = state.withLock { state in
            (state.evidence, state.isDecided) = (evidence, true)
            let change = state.board.update(evidence, adopted: adopted, at: now)
            let faults = state.board.faults
            var place = evidence.outage.flatMap { state.board.place(of: $0) }
            // An outage of the internet is one of the host, where this is a container.
            if health.status.isConnected, let follower { place = follower.outagePlace }
            let hasFault = faults.contains { $0.pair.isOnWay }
            let mode = state.suspicion.mode(evidence, internet: health.internet, hasFault: hasFault, at: now)
            return (change, place, mode)
        }
        if let place, let outage = health.outage, health.currentCause?.isPlace(ofOutageBy: outage.cause) == true {
            host.health.locate(place, since: outage.since)
        }
        report(change, at: now)
        let isProbed = setup.isEnabled(over: health.path)
        if isProbed { announce(setup.probes) }
        var path = InternetPath(health.path)
        path.isSatisfied = path.isSatisfied && isProbed
        hops.pathChanged(path)
        hops.modeChanged(mode)
        resolvers.pathChanged(path, servers: health.path.dnsServers)
        resolvers.modeChanged(mode)
        return mode
    }

    private func queue(under load: Range<OutcomeWindow.Instant>, rise: Duration?) -> QueueLocation? {
        guard let health = host.health.current else { return nil }
        let (setup, rates) = state.read { ($0.setup, $0.rates) }
        return QueueRule.location(reader.read(health, setup, rates, at: now()), under: load, rise: rise)
    }

    /// For those who run intrusion detection, once.
    private func announce(_ new: HopConfiguration) {
        let isNew = state.withLock { state in
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
        guard isNew else { return }
        let destinations = new.destinations.values.map(\.description).sorted()
        logger.info(
            "Probing the routers on the way to the internet with UDP datagrams of a small TTL; hops: { enabled: false } stops that",
            metadata: [
                "destinations": "\(destinations.joined(separator: " "))",
                "ports": "\(new.ports.lowerBound)-\(new.ports.upperBound)", "payload": "nhe-hop",
            ]
        )
    }

    private var seconds: [Fault.Pair: Duration] {
        state.withLock { state in
            state.board.settle(at: now())
            return state.board.seconds
        }
    }

    private var shownHops: [ShownHop] {
        let (evidence, setup) = state.read { ($0.evidence, $0.setup) }
        // After a reload that switches them off the monitor still has those of before.
        let reports = evidence.path.map { setup.isEnabled(over: $0) } ?? true ? hops.reports : []
        return reports.flatMap { $0.shown(evidence) }
    }

    private func report(_ change: FaultBoard.Change, at now: OutcomeWindow.Instant) {
        let date = Date.now
        for fault in change.ended {
            log("Fault ended", fault, .info)
            news.send(FaultEvent(fault, at: now, date: date, isOver: true))
        }
        for fault in change.began {
            log("Fault", fault, .warning)
            news.send(FaultEvent(fault, at: now, date: date, isOver: false))
        }
    }

    private func log(_ message: String, _ fault: Fault, _ level: Logger.Level) {
        logger.log(
            level: level,
            "\(message): \(fault.title). \(fault.observations.map(\.says).joined(separator: " "))",
            metadata: ["location": "\(fault.location.rawValue)", "kind": "\(fault.kind.rawValue)"]
        )
    }
}
