import Coordination
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// The path of this host and the state that follows from it: connected or not, over what, at what cost, and the outages.
///
/// Reads the kernel, NetworkManager and, where it is followed, the exporter of the host. Every other part reads its state.
struct PathService: Service, Part {
    let host: HostMonitor
    let follower: HostFollower?
    private let settings: PathSettings
    /// The last outage of earlier processes; nil without one.
    private let lastOutage: DatedOutage?
    private let now: @Sendable () -> SuspendingClock.Instant

    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ follower: HostFollower?,
        now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
    ) {
        (self.host, self.follower, self.now) = (host, follower, now)
        (settings, lastOutage) = (context.settings.path, context.storage.lastOutage)
    }

    func run() async throws {
        try host.start()
        defer { host.stop() }
        await cancelWhenGracefulShutdown { for await _ in AsyncStream<Never>.makeStream().stream {} }
    }

    func apply(_ configuration: Configuration) { host.path.apply(configuration.pathConfiguration(settings)) }

    var collectors: [Collector] {
        let (path, health) = (host.path, host.health)
        let shown = Locked<[OutageCause: Duration]>([:])
        return [
            Collector("path", of: { try state() }, { ConnectivityMetrics.families($0) + PathMetrics.families($0) }),
            Collector(
                "outages",
                of: { health.statistics },
                { [lastOutage] in OutageMetrics.families($0, saved: lastOutage) }
            ),
            Collector(
                "monitor",
                of: { [host, follower] in MonitorMetrics.Facts(host, isHostExporterUp: follower?.isUp) },
                MonitorMetrics.families
            ),
            Collector(
                "uptime",
                .moving,
                of: { [now] in
                    // The time first: an outage that ends meanwhile must not be shorter in the next scrape.
                    let now = now()
                    return OutageMetrics.times(health.statistics, at: now, shown: shown)
                },
                { $0 }
            ),
            Collector("devices", .moving, of: { path.readDevices().counters }, DeviceMetrics.families),
        ]
    }

    /// The state, nil before the first complete evaluation; throws when the kernel cannot be read.
    private func state() throws -> HealthState? {
        if let state = host.health.current { return state }
        if let failure = host.path.failure { throw PathMonitorError.unavailable(failure) }
        return nil
    }
}
