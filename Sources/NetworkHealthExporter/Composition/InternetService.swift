import Locking
import Logging
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// Probes the internet as configured, and starts and stops with the configuration.
final class InternetService: Service {
    private let host: HostMonitor
    private let engine: ProbeEngine
    private let passive: PassiveObserver
    private let targets: TargetService
    private let configurations: Broadcast<Configuration>
    private let logger: Logger
    private let localFailures: LocalFailureReporter
    private let clockFaults: ClockFaultReporter
    /// nil while the internet is not probed.
    private let running = Locked<InternetWatch?>(nil)

    init(
        host: HostMonitor,
        engine: ProbeEngine,
        passive: PassiveObserver,
        targets: TargetService,
        configurations: Broadcast<Configuration>,
        logger: Logger
    ) {
        self.host = host
        self.engine = engine
        self.passive = passive
        self.targets = targets
        self.configurations = configurations
        self.logger = logger
        localFailures = LocalFailureReporter(
            "Checks of the internet failed at a limit of this machine; they do not count as failures of the internet",
            logger: logger
        )
        clockFaults = ClockFaultReporter(logger: logger)
        targets.onUpOrDown { [running] name, result in running.withLock { $0 }?.monitor.probed(name, result) }
        // Before the first path: connected must not be reported as online.
        if configurations.current?.internet.isEnabled == true { attach() }
    }

    /// Counted since the start; nil while the internet is not probed.
    var statistics: InternetStatistics? { monitor?.statistics }

    /// nil while the internet is not probed.
    var monitor: InternetMonitor? { running.withLock { $0?.monitor } }

    func run() async throws {
        for await _ in configurations.values().cancelOnGracefulShutdown() {
            // Several may have arrived while one was in use; the newest counts.
            guard let section = configurations.current?.internet, section.isEnabled else { continue }
            await watch(section)
        }
    }

    /// Probes until the configuration or a shutdown ends it.
    private func watch(_ section: InternetSection) async {
        logHosts(of: section)
        let internet = running.withLock { $0 } ?? attach()
        internet.monitor.apply(section.configuration)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await cancelWhenGracefulShutdown { await internet.run() } }
            group.addTask { for await _ in self.host.path.resumes() { internet.resumed() } }
            group.addTask {
                for await state in self.host.health.changes().cancelOnGracefulShutdown() {
                    internet.monitor.outageChanged(OutagePeriod(state.outage))
                }
            }
            group.addTask { await self.reportLoss(to: internet.monitor) }
            group.addTask {
                var last = section
                for await configuration in self.configurations.values().cancelOnGracefulShutdown() {
                    guard configuration.internet.isEnabled else { return }
                    if configuration.internet.configuration.hosts != last.configuration.hosts {
                        self.logHosts(of: configuration.internet)
                    }
                    last = configuration.internet
                    internet.monitor.apply(configuration.internet.configuration)
                }
            }
            // The last task ends at a shutdown, or when probing is disabled.
            await group.next()
            group.cancelAll()
        }
        running.withLock { $0 = nil }
        host.health.detachInternet()
    }

    private func logHosts(of section: InternetSection) {
        let hosts = section.configuration.hosts.joined(separator: " ")
        logger.info("Contacting these hosts to probe the internet", metadata: ["hosts": "\(hosts)"])
    }

    /// Packet loss of the targets makes an internet degraded.
    ///
    /// Read every 10 s instead of after each probe: the rule covers 30 s, and reads the window of every target.
    private func reportLoss(to internet: InternetMonitor) async {
        while (try? await Task.sleep(for: .seconds(10), clock: .suspending)) != nil {
            internet.measured(loss: NetworkLatency.packetLoss(targets.monitor.reports, at: .now) ?? 0)
        }
    }

    @discardableResult
    private func attach() -> InternetWatch {
        let configuration = configurations.current?.internet.configuration ?? InternetConfiguration()
        let watch = InternetWatch(
            configuration,
            engine: engine,
            passive: passive,
            kernelChanges: { [path = host.path] in path.statistics.changesOfWay },
            onLocalFailure: { [localFailures] in localFailures.failed($0) },
            onClockFault: { [clockFaults] in clockFaults.found($0) },
            onVerdict: { [host] in host.health.receive($0) }
        )
        running.withLock { $0 = watch }
        host.health.attachInternet { watch.pathChanged($0) }
        return watch
    }
}
