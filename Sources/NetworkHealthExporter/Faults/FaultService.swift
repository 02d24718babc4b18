import FoundationEssentials
import Locking
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
/// Probes the routers on the way (`hops`). Reads the path, the internet, the targets, the speed tests, and what the exporter of
/// the host has found. The views of the state read it.
final class FaultService: Service, Part {
    /// How often it decides: what a window of probes shows has no event of its own.
    private static let pace = (calm: Duration.seconds(10), trouble: Duration.seconds(1))

    private struct State {
        var setup: Setup
        var board = FaultBoard()
        var suspicion = Suspicion()
        var uplinks = UplinkChanges()
        /// Of the last decision.
        var evidence = FaultEvidence()
        /// Whether there was one.
        var isDecided = false
        /// Whether the log says that routers are probed.
        var isAnnounced = false
    }

    /// What the configuration says about hops.
    private struct Setup {
        /// nil: not in a container, whose host sees them itself.
        var isEnabled: Bool?
        var probes: HopConfiguration

        init(_ configuration: Configuration) {
            // Without checks of the internet no host there is contacted, unless hops are enabled explicitly.
            isEnabled = configuration.hops.isEnabled ?? (configuration.internet.isEnabled ? nil : false)
            probes = configuration.hops.configuration(
                towards: configuration.internet.configuration.literals.map(\.ip)
            )
        }

        func probes(_ path: Path) -> Bool { isEnabled ?? (path.viewpoint != .container) }
    }

    private let host: HostMonitor
    private let follower: HostFollower?
    private let reader: EvidenceReader
    let hops: HopMonitor
    private let far: FarPings
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
        let setup = Setup(context.configuration)
        let far = FarPings { [engine = targets.engine] address in
            var target = Target(name: "far", address: "\(address)", probe: ICMPProbe())
            target.timeout = .seconds(2)
            return await engine.probe(target, in: ProbeContext())
        }
        hops = targets.engine.hopMonitor(setup.probes, onRound: far.roundBegan)
        self.far = far
        reader = EvidenceReader(
            targets: targets.monitor,
            internet: internet,
            speedTests: speedTests.board,
            hops: hops,
            far: far,
            procfs: settings.path.roots.procfs
        )
        state = Locked(State(setup: setup))
        stopwatch = Stopwatch(.continuous)
        alarm = Alarm(stopwatch)
    }

    /// Bytes of IP packets.
    var traffic: ByteCounts {
        var traffic = hops.traffic
        traffic += far.traffic
        return traffic
    }

    func apply(_ configuration: Configuration) {
        let setup = Setup(configuration)
        state.withLock { $0.setup = setup }
        hops.apply(setup.probes)
        alarm.wake()
    }

    var collectors: [Collector] {
        [
            Collector("faults", of: { self.state.read { Set($0.board.faults.map(\.pair)) } }, FaultMetrics.faults),
            Collector("fault_seconds", .moving, of: { self.seconds }, FaultMetrics.seconds),
            Collector("hops", .moving, of: { self.shownHops }, FaultMetrics.hops),
        ]
    }

    var routes: [Route] {
        [settings.route(.get, DiagnosisDocument.path, "diagnosis", .immediate { _ in .json(self.diagnosis.json) })]
    }

    /// What is wrong now, where, and how that is known.
    var diagnosis: DiagnosisDocument {
        let (faults, evidence) = state.read { ($0.board.faults, $0.evidence) }
        return DiagnosisDocument(faults, evidence, shownHops, now: now(), date: .now)
    }

    /// What is wrong now, the nearest to this host first; nil before the first decision.
    var found: [Fault]? { state.read { $0.isDecided ? $0.board.faults : nil } }

    /// The same as JSON documents have it.
    var documents: [FoundFault]? {
        let (now, date) = (now(), Date.now)
        return found?.map { FoundFault($0, now: now, date: date) }
    }

    /// nil where it is not watched.
    var provider: ProviderHop? {
        let (evidence, setup) = state.read { ($0.evidence, $0.setup) }
        guard let path = evidence.path, setup.probes(path) else { return nil }
        return ProviderHop(evidence, at: now())
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.hops.run() }
                group.addTask { await self.far.run() }
                group.addTask { for await _ in self.host.health.changes() { self.alarm.wake() } }
                group.addTask { await self.decideAgainAndAgain() }
            }
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
        guard let health = host.health.current else { return .calm }
        let now = now()
        let (setup, isNewUplink) = state.withLock { ($0.setup, $0.uplinks.take(health.path)) }
        if isNewUplink { far.restart() }
        let evidence = reader.read(health, firstProviderHop: setup.probes.firstProviderHop, at: now)
        let adopted = follower?.faults
        let (change, mode) = state.withLock { state in
            (state.evidence, state.isDecided) = (evidence, true)
            let change = state.board.update(evidence, adopted: adopted, at: now)
            let isDegraded = health.internet?.state == .degraded
            let hasFault = !state.board.faults.isEmpty
            return (change, state.suspicion.mode(evidence, isDegraded: isDegraded, hasFault: hasFault, at: now))
        }
        for fault in change.began { log("Fault", fault, .warning) }
        for fault in change.ended { log("Fault ended", fault, .info) }
        let isProbed = setup.probes(health.path)
        if isProbed { announce(setup.probes) }
        var path = InternetPath(health.path)
        path.isSatisfied = path.isSatisfied && isProbed
        hops.pathChanged(path)
        hops.modeChanged(mode)
        return mode
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
        let evidence = state.read(\.evidence)
        return hops.reports.flatMap { report in
            report.hops.map {
                ShownHop(
                    family: report.family,
                    hop: $0,
                    location: report.location(ofHop: $0.distance, in: evidence)
                )
            }
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
