import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import ServiceLifecycle
import SpeedTestCore
import Storage

/// The running exporter: what is built from what, and in which order it starts and stops.
struct Exporter: Sendable {
    let monitors: Monitors
    let server: Server
    let store: ConfigurationStore
    /// Where the server listens, with the ports that the system chose.
    let addresses: [ListenAddress]
    private let database: Database
    private let recorder: HistoryRecorder
    private let cutoff: HistoryCutoff
    private let settings: Settings
    private let logger: Logger

    /// Builds everything and binds the listeners; nothing runs yet.
    ///
    /// Throws what is wrong with the configuration file or a listen address.
    init(settings: Settings, logger: Logger) async throws {
        let store = try ConfigurationStore(file: settings.configFile)
        store.warnOfEmptyFiles(logger)
        // Before the first thread: the C library's zone is the process's.
        LocalTimeZone.use(store.current.speedTest.timeZone)
        let storage = try await OpenedStorage(file: settings.storagePath, logger: logger)
        let database = storage.database
        let monitors = try Monitors(
            store: store,
            history: SpeedTestHistory(database: database),
            saved: storage.saved,
            roots: settings.roots,
            logger: logger
        )
        let recorder = HistoryRecorder(database: database, logger: logger)
        let process = settings.exporterMetrics ? ProcessReader(procfs: settings.roots.procfs) : nil
        // The table names the handlers that the counter starts with, and the counter is one of the views' collectors.
        let requests = RequestMetrics()
        let collectors = Collectors.all(
            monitors,
            store: store,
            requests: requests,
            process: process,
            storage: settings.storagePath == nil ? nil : database
        )
        let views = Views(
            monitor: monitors.health,
            configurationStore: store,
            metrics: MetricsView(collectors: collectors),
            health: HealthView(
                board: monitors.requirements,
                latency: { monitors.latency },
                nextMeasurement: { monitors.speedTests.board.state.nextRun }
            ),
            probe: ProbeView(targets: monitors.targets),
            reload: ReloadView(store: store, isAllowed: settings.allowsLifecycle, logger: logger),
            speedTest: SpeedTestView(service: monitors.speedTests, isAllowed: settings.allowsAdminAPI),
            stream: StreamView(log: monitors.events, onRefusal: requests.rejectStream),
            history: HistoryView(recorder: recorder, logger: logger),
            landingPage: LandingPage(settings: settings, store: store),
            latency: { monitors.latency }
        )
        let speedTests = SpeedTestRoutes(
            answers: SpeedTestAnswers(server: monitors.speedTestServer),
            prefix: settings.routePrefix
        )
        let table = Routes(views: views, settings: settings)
        let routes = table.table + speedTests.table
        requests.declare(handlers: routes.map(\.name))
        var configuration = try ListenSockets.configuration(settings)
        configuration.commonHeaders = Routes.commonHeaders
        configuration.errorResponse = table.errorResponse
        configuration.onResponse = { route, status in requests.count(handler: route ?? "unknown", code: status) }
        configuration.onConnection = requests.count
        configuration.onEvent = { event in
            if case .diagnostic = event { logger.debug("\(event)") } else { logger.warning("\(event)") }
        }
        server = try Server(configuration: configuration, routes: routes)
        addresses = try server.bind()
        self.monitors = monitors
        (self.database, self.recorder, self.cutoff) = (database, recorder, storage.cutoff)
        self.store = store
        self.settings = settings
        self.logger = logger
    }

    /// Runs until SIGTERM, SIGINT or cancellation: the monitors start first and stop last.
    func run() async throws {
        let signals = CaughtSignals()
        let interval = settings.autoReloads ? settings.autoReloadInterval : nil
        let services: [any Service] =
            monitors.services + [
                HistoryService(
                    recorder: recorder,
                    states: monitors.health.changes,
                    latency: { [monitors] in monitors.latencySources },
                    retention: { [store] in store.current.history.retention },
                    cutoff: cutoff,
                    logger: logger
                ),
                ReloadService(store: store, hangups: signals.hangups, interval: interval, logger: logger),
                FileWatchService(store: store, logger: logger),
                ServerService(server: server),
            ]
        let stop = ServiceGroupConfiguration.ServiceConfiguration(
            service: StopService(signals: signals),
            successTerminationBehavior: .gracefullyShutdownGroup
        )
        // Its debug messages are of Swift's types and of this program's inner parts.
        var quietLogger = logger
        quietLogger.logLevel = max(logger.logLevel, .info)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) } + [stop],
                logger: quietLogger
            )
        )
        do {
            try await group.run()
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
