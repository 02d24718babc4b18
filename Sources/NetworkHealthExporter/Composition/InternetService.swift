import Locking
import Logging
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// Has the internet looked for, as the configuration says, and switches that on and off with it.
final class InternetService: Service {
    private let host: HostMonitor
    private let engine: ProbeEngine
    private let passive: PassiveObserver
    private let targets: TargetMonitor
    private let configurations: Broadcast<Configuration>
    private let logger: Logger
    private let running = Locked<InternetWatch?>(nil)

    init(
        host: HostMonitor,
        engine: ProbeEngine,
        passive: PassiveObserver,
        targets: TargetMonitor,
        configurations: Broadcast<Configuration>,
        logger: Logger
    ) {
        self.host = host
        self.engine = engine
        self.passive = passive
        self.targets = targets
        self.configurations = configurations
        self.logger = logger
        // Before the path is known: with the first one connected must not pass for online.
        if configurations.current?.internet.isEnabled == true { attach() }
    }

    /// What was counted since it was switched on; nil while it is off.
    var statistics: InternetStatistics? { running.withLock { $0?.monitor.statistics } }

    func run() async throws {
        for await _ in configurations.values().cancelOnGracefulShutdown() {
            // While one was watched others came, and the newest counts.
            guard let section = configurations.current?.internet, section.isEnabled else { continue }
            await watch(section)
        }
    }

    /// Watches until the configuration or a shutdown ends it.
    private func watch(_ section: InternetSection) async {
        logHosts(of: section)
        let internet = running.withLock { $0 } ?? attach()
        internet.monitor.apply(section.configuration)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await cancelWhenGracefulShutdown { await internet.run() } }
            group.addTask { for await _ in self.host.path.resumes() { internet.resumed() } }
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
            // The last of them ends with a shutdown, or when it is switched off.
            await group.next()
            group.cancelAll()
        }
        running.withLock { $0 = nil }
        host.health.detachInternet()
    }

    private func logHosts(of section: InternetSection) {
        let hosts = section.configuration.hosts.joined(separator: " ")
        logger.info("Contacting these hosts to see whether there is an internet", metadata: ["hosts": "\(hosts)"])
    }

    /// What the targets lose makes an internet that is there a degraded one.
    ///
    /// Looked at every 10 s instead of after each probe: the rule is about 30 s, and reads every target's window.
    private func reportLoss(to internet: InternetMonitor) async {
        while (try? await Task.sleep(for: .seconds(10), clock: .suspending)) != nil {
            internet.measured(loss: NetworkLatency.packetLoss(targets.reports) ?? 0)
        }
    }

    @discardableResult
    private func attach() -> InternetWatch {
        let configuration = configurations.current?.internet.configuration ?? InternetConfiguration()
        let watch = InternetWatch(configuration, engine: engine, passive: passive) { [host] in host.health.receive($0) }
        running.withLock { $0 = watch }
        host.health.attachInternet { watch.pathChanged($0) }
        return watch
    }
}
