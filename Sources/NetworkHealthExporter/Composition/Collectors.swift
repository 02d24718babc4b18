import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import PrometheusExposition
import SpeedTestCore
import Storage

/// What `/metrics` prints, in this order.
enum Collectors {
    static func all(
        _ monitors: Monitors,
        store: ConfigurationStore,
        requests: RequestMetrics,
        process: ProcessReader?,
        storage: Database?
    ) -> [Collector] {
        let clock = SuspendingClock()
        let health = monitors.health
        var collectors = [
            Collector("build", of: { true }, { _ in BuildMetrics.families() }),
            Collector("http") { requests.families() },
            Collector("config", of: { store.outcome }, ConfigurationMetrics.families),
            Collector("path", of: { try state(of: health) }, PathMetrics.allFamilies),
            Collector("internet", of: { health.current?.internet }, InternetMetrics.verdict),
            Collector("internet_probes", of: { monitors.internet.statistics }, InternetMetrics.statistics),
            Collector("targets", of: { monitors.targets.reports }, TargetMetrics.families),
            Collector("target_delay", of: { monitors.targets.startDelay }, TargetMetrics.delay),
            Collector("latency", of: { monitors.latency }, LatencyMetrics.network),
            Collector("passive", of: { monitors.passive.statistics }, LatencyMetrics.passive),
            Collector("quality", of: { health.current?.assessment(at: .now) }, QualityMetrics.quality),
            Collector("requirements", of: { monitors.requirements.satisfied }, QualityMetrics.requirements),
            Collector("speedtest", of: { .init(monitors.speedTests.board.state) }, SpeedTestMetrics.families),
            Collector("own_traffic", of: { monitors.traffic }, OwnTrafficMetrics.families),
            Collector("speedtest_server", of: { monitors.speedTestServer.statistics }, EmbeddedServerMetrics.families),
            Collector("outages", of: { health.account }, OutageMetrics.counts),
            Collector("uptime") {
                // The time first: an outage that ends meanwhile must not seem shorter in the next scrape.
                let now = clock.now
                return OutageMetrics.times(health.account, at: now)
            },
            Collector("monitor", of: { MonitorMetrics.Facts(health) }, MonitorMetrics.families),
            Collector("devices", of: { health.pathMonitor.statistics.devices }, DeviceMetrics.families),
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

    /// The state, nil while the first evaluation is under way; a kernel that cannot be read is an error.
    private static func state(of monitor: HealthMonitor) throws -> HealthState? {
        if let state = monitor.current { return state }
        if let failure = monitor.pathMonitor.failure { throw PathMonitorError.unavailable(failure) }
        return nil
    }
}
