import FoundationEssentials
import NetworkHealth
import NetworkPath
import OfflineQueue
import Probing
import PrometheusExposition
import SpeedTestCore
import Storage

/// The collectors of `/metrics`, in the order of its output.
enum Collectors {
    static func all(
        _ sources: Sources,
        requirements: RequirementEvaluator,
        deliveries: QueueService,
        disabledQueueRefusals: @escaping @Sendable () -> Int,
        speedTestServer: EmbeddedServer,
        store: ConfigurationStore,
        requests: RequestMetrics,
        process: ProcessReader?,
        storage: Database?,
        lastOutage: DatedOutage?
    ) -> [Collector] {
        let clock = SuspendingClock()
        let (host, health) = (sources.host, sources.host.health)
        var collectors = [
            Collector("build", of: { true }, { _ in BuildMetrics.families() }),
            Collector("http") { requests.families() },
            Collector("config", of: { store.outcome }, ConfigurationMetrics.families),
            Collector("path", of: { try state(of: host) }, PathMetrics.allFamilies),
            Collector("internet", of: { health.current?.internet }, InternetMetrics.verdict),
            Collector("internet_probes", of: { sources.internet.statistics }, InternetMetrics.statistics),
            Collector("targets", of: { sources.targets.monitor.reports }, TargetMetrics.families),
            Collector("target_delay", of: { sources.targets.monitor.startDelay }, TargetMetrics.delay),
            Collector("latency", of: { sources.latency }, LatencyMetrics.network),
            Collector("passive", of: { sources.passive.statistics }, LatencyMetrics.passive),
            Collector(
                "quality",
                of: { health.current.flatMap { $0.isSettling ? nil : $0.assessment(at: .now) } },
                QualityMetrics.quality
            ),
            Collector("requirements", of: { requirements.satisfied }, QualityMetrics.requirements),
            Collector(
                "speedtest",
                of: {
                    let uplink = SpeedTestNetwork(health.current).uplink
                    return sources.speedTests.board.read { .init($0, on: uplink) }
                },
                SpeedTestMetrics.families
            ),
            Collector(
                "own_traffic",
                of: { sources.traffic.merging([.queue: deliveries.traffic]) { $1 } },
                OwnTrafficMetrics.families
            ),
            Collector("queue") {
                QueueMetrics.families(deliveries.queue, disabled: disabledQueueRefusals())
            },
            Collector("speedtest_server", of: { speedTestServer.statistics }, EmbeddedServerMetrics.families),
            Collector("outages", of: { health.statistics }, { OutageMetrics.families($0, saved: lastOutage) }),
            Collector("uptime") {
                // The time first: an outage that ends meanwhile must not be shorter in the next scrape.
                let now = clock.now
                return OutageMetrics.times(health.statistics, at: now)
            },
            Collector(
                "monitor",
                of: { MonitorMetrics.Facts(host, isHostExporterUp: sources.hostFollower?.isUp) },
                MonitorMetrics.families
            ),
            Collector("devices", of: { host.path.statistics.devices }, DeviceMetrics.families),
        ]
        if let storage {
            collectors.append(Collector("storage", of: { storage.failure == nil }, StorageMetrics.families))
        }
        if let process {
            collectors.append(
                Collector("process", of: { try process.statistics(at: clock.now) }, ProcessMetrics.families)
            )
        }
        return collectors
    }

    /// The state, nil before the first complete evaluation; throws when the kernel cannot be read.
    private static func state(of host: HostMonitor) throws -> HealthState? {
        if let state = host.health.current { return state }
        if let failure = host.path.failure { throw PathMonitorError.unavailable(failure) }
        return nil
    }
}
