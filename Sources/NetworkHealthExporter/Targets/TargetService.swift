import Coordination
import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// Probes the targets over the current path, and logs those that go up or down.
///
/// Reads the path, over which it probes. The internet, requirements, the latency and the history read its reports.
struct TargetService: Service, Part {
    let monitor: TargetMonitor
    /// Also that of the internet's checks.
    let engine: ProbeEngine
    private let settings: Settings
    private let host: HostMonitor
    private let changed: Observers<Change>

    /// - Throws: `SystemError` where descriptors or threads have run out.
    init(_ context: PartContext, _ host: HostMonitor) throws {
        let (configuration, logger) = (context.configuration, context.logger)
        let engine = try ProbeEngine(userAgent: Version.userAgent)
        let changed = Observers<Change>()
        let localFailures = LocalFailureReporter(
            "Probes failed at a limit of this machine; they do not count for their targets",
            logger: logger
        )
        (self.engine, self.host, self.changed, settings) = (engine, host, changed, context.settings)
        monitor = TargetMonitor(
            targets: configuration.allTargets,
            onExpensive: configuration.targets.onExpensive,
            probe: engine.probe,
            onChange: { target, result, change in
                switch change {
                case .upOrDown: Self.log(target, result, logger)
                case .inconclusive(let reason): Self.log(target, result, reason, logger)
                // Where a limit of this machine makes many targets unknown again and again, its own line is enough.
                case .known: break
                }
                changed((target.name, result, change == .upOrDown))
            },
            onLocalFailure: { localFailures.failed($0.detail) }
        )
    }

    /// A target whose state has changed, and the result that changed it.
    ///
    /// Not each has gone up or down: it may have become known or unknown.
    typealias Change = (name: String, result: ProbeResult, isUpOrDown: Bool)

    /// Calls `observer` with each change, on the task that probed the target; must not block.
    func onChange(_ observer: @escaping @Sendable (Change) -> Void) { changed.add(observer) }

    /// The names of the targets that are up.
    var up: Set<String> { Set(monitor.reports.filter { $0.statistics.isUp == true }.map(\.target.name)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await name in engine.lateReplies { monitor.lateReply(of: name) } }
                group.addTask { await followPath() }
                group.addTask { await probeWithoutPath() }
                group.addTask { await monitor.run() }
            }
        }
    }

    func apply(_ configuration: Configuration) {
        monitor.apply(targets: configuration.allTargets, onExpensive: configuration.targets.onExpensive)
    }

    var collectors: [Collector] {
        [
            Collector("targets", .moving, of: { [monitor] in monitor.reports }, TargetMetrics.families),
            Collector("target_delay", .moving, of: { [monitor] in monitor.startDelay }, TargetMetrics.delay),
        ]
    }

    var routes: [Route] {
        [
            settings.route(.get, "/probe", "probe", .immediate(ProbeView(targets: monitor).answer)),
            settings.route(
                .get,
                "/api/v1/sd",
                "sd",
                .immediate(DiscoveryView(targets: monitor, settings: settings).answer)
            ),
        ]
    }

    /// Where the kernel cannot be read, the first path never comes.
    private func probeWithoutPath() async {
        for await failure in host.path.failures() where failure != nil && host.health.current == nil {
            monitor.startWithoutPath()
        }
    }

    private func followPath() async {
        var uplinks = UplinkChanges()
        for await state in host.health.changes() {
            monitor.outageChanged(OutagePeriod(state.outage))
            monitor.contextChanged(ProbeContext(state.path), isNewUplink: uplinks.take(state.path))
        }
    }

    private static func log(_ target: Target, _ result: ProbeResult, _ reason: Inconclusive, _ logger: Logger) {
        var metadata: Logger.Metadata = ["target": "\(target.name)"]
        if let address = result.address { metadata["address"] = "\(address)" }
        logger.info("\(reason.sentence)", metadata: metadata)
    }

    private static func log(_ target: Target, _ result: ProbeResult, _ logger: Logger) {
        var metadata: Logger.Metadata = ["target": "\(target.name)", "module": "\(target.module)"]
        // An icmp target is probed by another method where the kernel does not permit ICMP sockets.
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

extension Inconclusive {
    /// Why the state of the router is unknown.
    var sentence: String {
        switch self {
        case .notPermitted:
            "The router is not watched: ICMP needs net.ipv4.ping_group_range to include this process's group, or CAP_NET_RAW"
        case .silent: "The router answers no ping, but it answers the kernel: whether it is up is unknown"
        }
    }
}
