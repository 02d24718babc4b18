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
        lastOutage: DatedOutage?,
        now: @escaping @Sendable () -> SuspendingClock.Instant = { SuspendingClock.now }
    ) -> [Collector] {
        let (host, health, targets, passive) = (
            sources.host, sources.host.health, sources.targets.monitor, sources.passive
        )
        let (internet, speedTests) = (sources.internet, sources.speedTests.board)
        var collectors = [
            Collector("build", of: { true }, { _ in BuildMetrics.families() }),
            Collector("config", of: { store.outcome }, ConfigurationMetrics.families),
            Collector(
                "path",
                of: { try state(of: host) },
                PathMetrics.allFamilies
            ),
            Collector(
                "internet",
                of: { health.current?.internet },
                InternetMetrics.verdict
            ),
            Collector(
                "quality",
                of: { health.current.flatMap { $0.isSettling ? nil : $0.assessment(at: .now) } },
                QualityMetrics.quality
            ),
            Collector(
                "requirements",
                of: { requirements.satisfied },
                QualityMetrics.requirements
            ),
            Collector(
                "speedtest",
                of: {
                    let uplink = SpeedTestNetwork(health.current).uplink
                    return SpeedTestMetrics.Shown(
                        own: speedTests.read { .init($0, on: uplink) },
                        adopted: sources.adoptedSpeedTests?.results ?? []
                    )
                },
                { SpeedTestMetrics.families($0.own) + SpeedTestMetrics.measured($0.adopted) }
            ),
            Collector(
                "outages",
                of: { health.statistics },
                { OutageMetrics.families($0, saved: lastOutage) }
            ),
            Collector(
                "monitor",
                of: { MonitorMetrics.Facts(host, isHostExporterUp: sources.hostFollower?.isUp) },
                MonitorMetrics.families
            ),
            Collector(
                "internet_probes",
                .moving,
                of: { internet.statistics },
                InternetMetrics.statistics
            ),
            Collector(
                "targets",
                .moving,
                of: { targets.reports },
                TargetMetrics.families
            ),
            Collector(
                "target_delay",
                .moving,
                of: { targets.startDelay },
                TargetMetrics.delay
            ),
            Collector(
                "latency",
                .moving,
                of: { sources.latency },
                LatencyMetrics.network
            ),
            Collector(
                "passive",
                .moving,
                of: { passive.statistics },
                LatencyMetrics.passive
            ),
            Collector(
                "own_traffic",
                .moving,
                of: { sources.traffic.merging([.queue: deliveries.traffic]) { $1 } },
                OwnTrafficMetrics.families
            ),
            Collector(
                "queue",
                .moving,
                of: { QueueMetrics.Facts(deliveries.queue, disabled: disabledQueueRefusals()) },
                QueueMetrics.families
            ),
            Collector(
                "speedtest_server",
                .moving,
                of: { speedTestServer.statistics },
                EmbeddedServerMetrics.families
            ),
            Collector(
                "uptime",
                .moving,
                of: {
                    // The time first: an outage that ends meanwhile must not be shorter in the next scrape.
                    let now = now()
                    return OutageMetrics.times(health.statistics, at: now)
                },
                { $0 }
            ),
            Collector(
                "devices",
                .moving,
                of: { host.path.statistics.devices },
                DeviceMetrics.families
            ),
            Collector(
                "connections",
                .moving,
                of: { requests.connections },
                RequestMetrics.families
            ),
            Collector("http") { requests.families() },
        ]
        if let storage {
            collectors.append(Collector("storage", of: { storage.failure == nil }, StorageMetrics.families))
        }
        if let process {
            collectors.append(
                Collector("process", .moving, of: { try process.statistics(at: now()) }, ProcessMetrics.families)
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
