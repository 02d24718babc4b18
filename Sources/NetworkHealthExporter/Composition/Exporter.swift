import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import PrometheusExposition
import ServiceLifecycle
import UnixSignals

/// The running exporter: what is built from what, and in which order it starts and stops.
struct Exporter: Sendable {
    let monitor: HealthMonitor
    let server: Server
    let store: ConfigurationStore
    /// Where the server listens, with the ports that the system chose.
    let addresses: [ListenAddress]
    private let settings: Settings
    private let logger: Logger

    /// Builds everything and binds the listeners; nothing runs yet.
    ///
    /// Throws what is wrong with the configuration file or a listen address.
    init(settings: Settings, logger: Logger) throws {
        let store = try ConfigurationStore(file: settings.configFile)
        let monitor = HealthMonitor(configuration: store.current.pathConfiguration(roots: settings.roots))
        store.onChange { [roots = settings.roots] configuration in
            monitor.pathMonitor.apply(configuration.pathConfiguration(roots: roots))
        }
        let process = settings.exporterMetrics ? ProcessReader(procfs: settings.roots.procfs) : nil
        // The table names the handlers that the counter starts with, and the counter is one of the views' collectors.
        let requests = RequestMetrics()
        let collectors = Self.collectors(monitor: monitor, store: store, requests: requests, process: process)
        let views = Views(
            monitor: monitor,
            configurationStore: store,
            metrics: MetricsView(collectors: collectors),
            health: HealthView(monitor: monitor),
            reload: ReloadView(store: store, isAllowed: settings.allowsLifecycle, logger: logger),
            landingPage: LandingPage.html(settings)
        )
        let routes = Routes(views: views, settings: settings).table
        requests.declare(handlers: routes.map(\.name))
        var configuration = try ListenSockets.configuration(settings)
        configuration.commonHeaders = Routes.commonHeaders
        configuration.errorResponse = Routes.errorResponse
        configuration.onResponse = { route, status in requests.count(handler: route ?? "unknown", code: status) }
        configuration.onEvent = { event in
            if case .diagnostic = event { logger.debug("\(event)") } else { logger.warning("\(event)") }
        }
        server = try Server(configuration: configuration, routes: routes)
        addresses = try server.bind()
        self.monitor = monitor
        self.store = store
        self.settings = settings
        self.logger = logger
    }

    /// Runs until SIGTERM, SIGINT or cancellation: the monitor starts first and stops last.
    func run() async throws {
        let interval = settings.autoReloads ? settings.autoReloadInterval : nil
        let services: [any Service] = [
            MonitorService(monitor: monitor, logger: logger),
            ReloadService(store: store, interval: interval, logger: logger),
            ServerService(server: server),
        ]
        let group = ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
    }

    /// The state, nil while the first evaluation is under way; a kernel that cannot be read is an error.
    private static func state(of monitor: HealthMonitor) throws -> HealthState? {
        if let state = monitor.current { return state }
        if let failure = monitor.pathMonitor.failure { throw PathMonitorError.unavailable(failure) }
        return nil
    }

    /// What `/metrics` prints, in this order.
    private static func collectors(
        monitor: HealthMonitor,
        store: ConfigurationStore,
        requests: RequestMetrics,
        process: ProcessReader?
    ) -> [Collector] {
        let clock = SuspendingClock()
        var collectors = [
            Collector("build", of: { true }, { _ in BuildMetrics.families() }),
            Collector("http") { requests.families() },
            Collector("config", of: { store.outcome }, ConfigurationMetrics.families),
            Collector("path", of: { try state(of: monitor) }, PathMetrics.allFamilies),
            Collector("outages", of: { monitor.account }, OutageMetrics.counts),
            Collector("uptime") {
                // The time first: an outage that ends meanwhile must not seem shorter in the next scrape.
                let now = clock.now
                return OutageMetrics.times(monitor.account, at: now)
            },
            Collector("monitor", of: { MonitorMetrics.Facts(monitor) }, MonitorMetrics.families),
            Collector("devices", of: { monitor.pathMonitor.statistics.devices }, DeviceMetrics.families),
        ]
        if let process {
            collectors.append(
                Collector("process", of: { try process.statistics(at: clock.now) }, ProcessMetrics.families)
            )
        }
        return collectors
    }
}
