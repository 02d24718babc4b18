import Locking
import Logging
import NetworkHealth
import NetworkPath
import Posix
import Probing
import ServiceLifecycle
import SpeedTestCore

/// Everything that watches and measures: what the views read, and what runs for it.
struct Monitors: Sendable {
    let health: HealthMonitor
    let internet: InternetService
    let targets: TargetMonitor
    let passive: PassiveObserver
    let speedTests: SpeedTestService
    let speedTestServer: EmbeddedServer
    let requirements: RequirementBoard
    let events = EventLog()
    private let requirementService: RequirementService
    private let engine: ProbeEngine
    private let logger: Logger

    /// Builds them from the configuration, and has them follow each new one; nothing runs yet.
    init(
        store: ConfigurationStore,
        history: SpeedTestHistory?,
        saved: SpeedTestHistory.Saved,
        roots: Roots,
        logger: Logger
    ) throws {
        let first = store.current
        let health = HealthMonitor(configuration: first.pathConfiguration(roots: roots))
        let engine = try ProbeEngine(userAgent: Version.userAgent)
        let stopwatch = Stopwatch(.suspending)
        let alarm = Alarm(stopwatch)
        let localFailures = Locked(LocalFailureLog())
        let targets = TargetMonitor(
            targets: first.targets.all,
            onExpensive: first.targets.onExpensive,
            probe: engine.probe,
            onChange: { target, result in
                Self.log(target, result, logger)
                alarm.ring()
            },
            onLocalFailure: { result in
                guard let count = localFailures.withLock({ $0.failed(at: stopwatch.elapsed) }) else { return }
                Self.log(localFailures: count, result, logger)
            }
        )
        let configurations = Broadcast(first)
        let passive = PassiveObserver()
        let speedTestServer = EmbeddedServer(limits: first.speedTestServer.effectiveLimits)
        (self.health, self.engine, self.targets, self.passive, self.logger) = (health, engine, targets, passive, logger)
        self.speedTestServer = speedTestServer
        internet = InternetService(
            monitor: health,
            engine: engine,
            passive: passive,
            targets: targets,
            configurations: configurations,
            logger: logger
        )
        speedTests = SpeedTestService(
            monitor: health,
            configurations: configurations,
            history: history,
            saved: saved,
            roots: roots,
            logger: logger
        )
        for record in saved.records { health.learn(record) }
        let requirements = RequirementBoard(monitor: health, configuration: first)
        self.requirements = requirements
        requirementService = RequirementService(
            board: requirements,
            monitor: health,
            targets: targets,
            latency: { [targets, internet, passive] in Self.sources(targets, internet, passive).latency },
            staleAfter: { [speedTests] in speedTests.board.staleAfter },
            configurations: configurations,
            alarm: alarm,
            stopwatch: stopwatch
        )
        store.onChange { configuration in
            health.pathMonitor.apply(configuration.pathConfiguration(roots: roots))
            targets.apply(targets: configuration.targets.all, onExpensive: configuration.targets.onExpensive)
            speedTestServer.apply(configuration.speedTestServer.effectiveLimits)
            configurations.send(configuration)
        }
    }

    /// What runs, in the order in which it starts.
    var services: [any Service] {
        [
            MonitorService(monitor: health, logger: logger),
            PassiveService(passive: passive),
            internet,
            TargetService(targets: targets, engine: engine, monitor: health),
            speedTests,
            requirementService,
            EventService(log: events, monitor: health, speedTests: speedTests.board, latency: { latency }),
        ]
    }

    /// How far the internet is: by the targets, else by the probes of the internet, else by the traffic of others.
    var latency: NetworkLatency? { latencySources.latency }

    /// What that follows from.
    var latencySources: LatencySources { Self.sources(targets, internet, passive) }

    private static func sources(
        _ targets: TargetMonitor,
        _ internet: InternetService,
        _ passive: PassiveObserver
    ) -> LatencySources {
        LatencySources(targets: targets.reports, internet: internet.statistics, passive: passive.statistics)
    }

    /// What this program itself has cost.
    var traffic: [OwnTrafficMetrics.Component: Traffic] {
        let speedTests = speedTests.board.traffic
        return [
            .internet: internet.statistics?.traffic ?? Traffic(), .targets: targets.traffic,
            .speedtest: Traffic(received: speedTests.received, sent: speedTests.transmitted),
        ]
    }

    private static func log(localFailures count: UInt64, _ last: ProbeResult, _ logger: Logger) {
        logger.warning(
            "Probes failed at a limit of this machine; that is no loss and says nothing about their targets. Raise the number of open files: ulimit -n, LimitNOFILE= of systemd",
            metadata: ["count": "\(count)", "last": "\(last.detail)", "limit": "\(DescriptorReserve().limit)"]
        )
    }

    @Sendable private static func log(_ target: Target, _ result: ProbeResult, _ logger: Logger) {
        var metadata: Logger.Metadata = ["target": "\(target.name)", "module": "\(target.module)"]
        // An icmp target may have been asked otherwise, where the kernel lets nobody ping.
        if let method = result.method { metadata["method"] = "\(method.rawValue)" }
        if let failure = result.failure {
            metadata["reason"] = "\(failure.rawValue)"
            let detail = result.detail.isEmpty ? failure.rawValue : result.detail
            logger.warning("Target is down: \(detail)", metadata: metadata)
        } else {
            logger.info("Target is up", metadata: metadata)
        }
    }
}
