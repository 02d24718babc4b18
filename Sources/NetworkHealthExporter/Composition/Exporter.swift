import Locking
import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle
import SpeedTestCore
import Storage

/// The running exporter, composed here as the picture has it: sources feed one state, views read it.
///
///     sources  path · internet · targets · other programs' traffic · speed tests
///       ▼
///     state    host.health · evidence · requirements
///       ▼
///     views    log · events · history · metrics and the other routes of the web server
struct Exporter: Sendable {
    /// The addresses of the web server, with the ports that the system chose.
    let addresses: [ListenAddress]
    /// Whether the web server speaks TLS.
    let usesTLS: Bool
    private let services: [any Service]
    private let signals = CaughtSignals()
    private let database: Database
    private let logger: Logger

    /// Builds everything and binds the listeners; nothing runs yet.
    ///
    /// - Throws: what is wrong with the configuration file, the storage or a listen address.
    init(settings: Settings, logger: Logger) async throws {
        let web = try settings.webConfigFile.map { try WebConfigurationFile($0, logger: logger) }
        let store = try ConfigurationStore(settings, web)
        store.warnOfEmptyFiles(logger)
        let configuration = store.current
        // Before the first thread: the C library's time zone belongs to the process.
        LocalTimeZone.use(configuration.speedTest.timeZone)
        let storage = try await OpenedStorage(file: settings.storagePath, logger: logger)
        let configurations = Broadcast(configuration)

        // Sources.
        let host = HostMonitor(configuration: configuration.pathConfiguration(settings.path))
        let sources = try Sources(
            configurations,
            host: host,
            history: SpeedTestHistory(database: storage.database),
            saved: storage.saved,
            roots: settings.path.roots,
            logger: logger
        )
        let targets = sources.targets

        // State.
        let requirements = RequirementEvaluator(monitor: host.health, configuration: configuration) { targets.up }
        targets.onChange { requirements.evaluate() }
        let evidence = EvidenceService(
            host: host,
            requirements: requirements,
            latency: { sources.latency },
            maxAge: { store.current.requirements.staleAfter ?? sources.speedTests.board.read(\.staleAfter) },
            configurations: configurations
        )

        let deliveries = try QueueService(
            database: storage.database,
            monitor: host.health,
            requirements: requirements,
            configuration: { store.current }
        )
        let webhooks = WebhookService(
            configuration,
            monitor: host.health,
            latency: { sources.latency },
            queue: deliveries.queue,
            logger: logger
        )

        // Views.
        let events = EventService(
            host.health,
            speedTests: sources.speedTests.board,
            deliveries: deliveries,
            latency: { sources.latency }
        )
        let recorder = HistoryRecorder(
            database: storage.database,
            interrupted: storage.interrupted,
            logger: logger
        )
        let history = HistoryService(
            recorder: recorder,
            states: host.health.changes,
            latency: { sources.latencySources },
            outages: { host.health.statistics?.outages },
            retention: { store.current.history.retention },
            cutoff: storage.cutoff,
            logger: logger
        )
        let refusals = ClientRefusalReporter(logger: logger)
        let speedTestServer = EmbeddedServer(
            limits: configuration.speedTestServer.effectiveLimits,
            onRefusal: refusals.refused
        )
        let views = Views(
            sources: sources,
            requirements: requirements,
            deliveries: deliveries,
            events: events.log,
            history: recorder,
            lastOutage: storage.lastOutage,
            speedTestServer: speedTestServer,
            store: store,
            settings: settings,
            logger: logger
        )
        let servers = try [views.server(web)] + (views.healthServer().map { [$0] } ?? [])
        addresses = try servers.flatMap { try $0.bind() }
        usesTLS = web?.usesTLS ?? false

        store.onChange { new in
            host.path.apply(new.pathConfiguration(settings.path))
            targets.monitor.apply(targets: new.allTargets, onExpensive: new.targets.onExpensive)
            requirements.apply(new)
            deliveries.apply(new)
            webhooks.apply(new)
            speedTestServer.apply(new.speedTestServer.effectiveLimits)
            configurations.send(new)
        }
        let reload = ReloadService(
            store: store,
            hangups: signals.hangups,
            interval: settings.autoReloads ? settings.autoReloadInterval : nil,
            logger: logger
        )
        services =
            sources.services + [
                evidence, deliveries, webhooks,
                StatusLog(host: host, followsHost: sources.hostFollower != nil, logger: logger), events, history,
                reload,
                FileWatchService(store: store, logger: logger),
            ] + servers.map { server in Job { try await server.run() } }
        (database, self.logger) = (storage.database, logger)
    }

    /// Runs until SIGTERM, SIGINT or cancellation: the sources start first and stop last.
    func run() async throws {
        let stop = ServiceGroupConfiguration.ServiceConfiguration(
            service: Job { [signals] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await signals.run() }
                    group.addTask { for await _ in signals.stops { return } }
                    try await group.next()
                    group.cancelAll()
                }
            },
            successTerminationBehavior: .gracefullyShutdownGroup
        )
        // The group's debug messages name Swift types, which mean nothing to an operator.
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
