import Locking
import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle
import SpeedTestCore
import Storage

/// The running exporter: a list of parts in the order of the flow, in which sources feed one state and views read it.
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
        (database, self.logger) = (storage.database, logger)

        let engine = try ProbeEngine(userAgent: Version.userAgent)
        let browsers = BrowserGuard(settings)
        let host = HostMonitor(configuration: configuration.pathConfiguration(settings.path))
        let follower = try HostFollower(configuration.host, host: host, logger: logger)
        let path = PathService(
            host: host,
            follower: follower,
            settings: settings.path,
            lastOutage: storage.lastOutage
        )
        let targets = TargetService(configuration, engine: engine, host: host, settings: settings, logger: logger)
        let internet = InternetService(
            configuration,
            engine: engine,
            host: host,
            targets: targets,
            follower: follower,
            logger: logger
        )
        let speedTests = SpeedTestService(
            configuration,
            monitor: host.health,
            follower: follower,
            history: SpeedTestHistory(database: database),
            saved: storage.saved,
            settings: settings,
            browsers: browsers,
            logger: logger
        )
        let requirements = RequirementService(
            configuration,
            host: host,
            targets: targets,
            internet: internet,
            speedTests: speedTests,
            settings: settings
        )
        let queue = try QueueService(
            configuration,
            database: database,
            monitor: host.health,
            requirements: requirements.evaluator,
            settings: settings,
            browsers: browsers
        )
        let webhooks = WebhookService(
            configuration,
            monitor: host.health,
            internet: internet,
            queue: queue.queue,
            logger: logger
        )
        let requests = RequestMetrics()
        let events = EventService(
            host.health,
            internet: internet,
            speedTests: speedTests,
            queue: queue,
            requests: requests,
            settings: settings
        )
        let history = HistoryService(
            configuration,
            storage,
            host: host,
            internet: internet,
            settings: settings,
            logger: logger
        )
        let status = StatusPart(
            configuration,
            path: path,
            targets: targets,
            internet: internet,
            speedTests: speedTests,
            requirements: requirements,
            queue: queue,
            history: history,
            settings: settings,
            logger: logger
        )
        let process = ProcessPart(
            internet: internet,
            targets: targets,
            speedTests: speedTests,
            queue: queue,
            database: settings.storagePath == nil ? nil : database,
            reader: settings.exporterMetrics ? ProcessReader(procfs: settings.path.roots.procfs) : nil
        )
        let parts: [any Part] =
            [
                path, targets, internet, speedTests, requirements, queue, webhooks, status, events, history,
                SpeedTestServerPart(configuration, settings: settings, logger: logger), process, requests,
                ConfigurationPart(
                    store: store,
                    hangups: signals.hangups,
                    settings: settings,
                    browsers: browsers,
                    logger: logger
                ),
            ] + [follower].compactMap(\.self)
        let server = try WebServer(
            parts,
            requirements: requirements.evaluator,
            requests: requests,
            browsers: browsers,
            web: web,
            settings: settings,
            logger: logger
        )
        (addresses, usesTLS) = (server.addresses, web?.usesTLS ?? false)
        services = parts.flatMap(\.services) + server.services
        store.onChange { configuration in for part in parts { part.apply(configuration) } }
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
