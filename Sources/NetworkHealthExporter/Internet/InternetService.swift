import Coordination
import Logging
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// Probes the internet as configured, and starts and stops with the configuration.
///
/// Reads the path, the targets, the traffic of other programs, and the exporter of the host. The state takes its verdicts; every
/// part that shows or judges a latency reads it.
final class InternetService: Part {
    private let host: HostMonitor
    private let engine: ProbeEngine
    let passive = PassiveObserver()
    private let targets: TargetService
    private let follower: HostFollower?
    /// Has a current value.
    private let sections: Broadcast<InternetSection>
    private let logger: Logger
    private let localFailures: LocalFailureReporter
    private let clockFaults: ClockFaultReporter
    /// nil while the internet is not probed.
    private let running = Locked<InternetWatch?>(nil)

    init(_ context: PartContext, _ host: HostMonitor, _ targets: TargetService, _ follower: HostFollower?) {
        let (section, logger) = (context.configuration.internet, context.logger)
        (self.host, self.targets, self.follower, self.logger) = (host, targets, follower, logger)
        engine = targets.engine
        sections = Broadcast(section)
        localFailures = LocalFailureReporter(
            "Checks of the internet failed at a limit of this machine; they do not count as failures of the internet",
            logger: logger
        )
        clockFaults = ClockFaultReporter(logger: logger)
        targets.onChange { [running] change in
            if change.isUpOrDown { running.withLock { $0 }?.monitor.probed(change.name, change.result) }
        }
        // Before the first path: connected must not be reported as online.
        if section.isEnabled { attach(section) }
    }

    /// Counted since the start; nil while the internet is not probed.
    var statistics: InternetStatistics? { monitor?.statistics }

    /// nil while the internet is not probed.
    var monitor: InternetMonitor? { running.withLock { $0?.monitor } }

    /// What the network's latency follows from: the targets, these probes, other programs' traffic, and the host's exporter.
    var latencySources: LatencySources {
        LatencySources(
            targets: targets.monitor.reports,
            internet: statistics,
            passive: passive.statistics,
            host: follower?.latency
        )
    }

    var latency: NetworkLatency? { latencySources.latency(at: .now) }

    func apply(_ configuration: Configuration) { sections.send(configuration.internet) }

    var services: [any Service] {
        [
            Job { [passive] in await passive.run() },
            Job { [host, passive] in
                var uplinks = UplinkChanges()
                for await state in host.health.changes() where uplinks.take(state.path) { passive.restartWindow() }
            },
            self,
        ]
    }

    var collectors: [Collector] {
        [
            Collector("internet", of: { [host] in host.health.current?.internet }, InternetMetrics.verdict),
            Collector("internet_probes", .moving, of: { self.statistics }, InternetMetrics.statistics),
            Collector("latency", .moving, of: { self.latency }, LatencyMetrics.network),
            Collector("passive", .moving, of: { [passive] in passive.statistics }, LatencyMetrics.passive),
        ]
    }
}

extension InternetService: Service {
    func run() async throws {
        for await _ in sections.values().cancelOnGracefulShutdown() {
            // Several may have arrived while one was in use; the newest counts.
            guard let section = sections.current, section.isEnabled else { continue }
            await watch(section)
        }
    }

    /// Probes until the configuration or a shutdown ends it.
    private func watch(_ section: InternetSection) async {
        logHosts(of: section)
        let internet = running.withLock { $0 } ?? attach(section)
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
                for await new in self.sections.values().cancelOnGracefulShutdown() {
                    guard new.isEnabled else { return }
                    if new.configuration.hosts != last.configuration.hosts { self.logHosts(of: new) }
                    last = new
                    internet.monitor.apply(new.configuration)
                }
            }
            // The last task ends at a shutdown, or when probing is disabled.
            await group.next()
            group.cancelAll()
        }
        running.withLock { $0 = nil }
        host.health.detachInternet()
        // The devices of the path are not known any more: connections over all devices count.
        passive.follow(devices: nil)
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
    private func attach(_ section: InternetSection) -> InternetWatch {
        let watch = InternetWatch(
            section.configuration,
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
