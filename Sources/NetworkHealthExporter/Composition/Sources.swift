import Locking
import Logging
import NetworkHealth
import NetworkPath
import Posix
import Probing
import ServiceLifecycle
import SpeedTestCore

/// What watches and measures: the kernel's path, the internet, the targets, other programs' traffic, speed tests.
struct Sources: Sendable {
    let host: HostMonitor
    /// nil where the configuration names no exporter of a host.
    let hostFollower: HostFollower?
    let internet: InternetService
    let targets: TargetService
    let passive = PassiveObserver()
    let speedTests: SpeedTestService

    /// Builds them; nothing runs yet.
    ///
    /// - Parameters:
    ///   - configurations: has a current value; each later one is applied.
    ///   - host: the path and the state that all sources feed.
    ///   - history: stores the speed tests.
    ///   - saved: the speed tests of earlier processes.
    ///   - roots: of procfs and sysfs.
    ///   - logger: receives changes of targets, and speed tests.
    /// - Throws: `SystemError` when no thread or descriptor is available.
    init(
        _ configurations: Broadcast<Configuration>,
        host: HostMonitor,
        history: SpeedTestHistory,
        saved: SpeedTestHistory.Saved,
        roots: Roots,
        logger: Logger
    ) throws {
        let configuration = configurations.current ?? Configuration()
        let engine = try ProbeEngine(userAgent: Version.userAgent)
        self.host = host
        hostFollower = try HostFollower(configuration.host, host: host, logger: logger)
        targets = TargetService(configuration, engine: engine, host: host, logger: logger)
        internet = InternetService(
            host: host,
            engine: engine,
            passive: passive,
            targets: targets,
            configurations: configurations,
            logger: logger
        )
        speedTests = SpeedTestService(
            monitor: host.health,
            configurations: configurations,
            history: history,
            saved: saved,
            roots: roots,
            logger: logger
        )
    }

    /// What runs, in the order in which it starts.
    var services: [any Service] {
        [
            Job { [host] in
                try host.start()
                defer { host.stop() }
                for await _ in AsyncStream<Never>.makeStream().stream {}
            },
            Job { [passive] in await passive.run() },
            Job { [host, passive] in
                var uplinks = UplinkChanges()
                for await state in host.health.changes() where uplinks.take(state.path) { passive.restartWindow() }
            },
            internet,
            targets,
            speedTests,
        ] + [hostFollower].compactMap(\.self)
    }

    /// What the network's latency follows from: the targets, the internet's probes, and other programs' traffic.
    var latencySources: LatencySources {
        LatencySources(
            targets: targets.monitor.reports,
            internet: internet.statistics,
            passive: passive.statistics,
            host: hostFollower?.latency
        )
    }

    var latency: NetworkLatency? { latencySources.latency(at: .now) }

    /// The speed tests of the host, where none are configured here; nil: there are none, or they are unknown.
    var adoptedSpeedTests: SpeedTestDocument? {
        speedTests.board.read(\.section.isActive) ? nil : hostFollower?.speedTests
    }

    /// The bytes that this program has used.
    var traffic: [OwnTrafficMetrics.Component: Traffic] {
        let speedTests = speedTests.board.read(\.traffic)
        return [
            .internet: internet.statistics?.traffic ?? Traffic(), .targets: targets.monitor.traffic,
            .speedtest: Traffic(received: speedTests.received, sent: speedTests.transmitted),
        ]
    }
}
