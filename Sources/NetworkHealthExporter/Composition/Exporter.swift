import Logging
import MicroHTTP
import NetworkHealth
import ServiceLifecycle
import SpeedTestCore
import Storage

/// The running exporter: a list of parts in the order of the flow, in which sources feed one state and views read it.
///
///     let exporter = try await Exporter(settings: settings, logger: logger)
///     try await exporter.run()
struct Exporter: Sendable {
    let web: WebServer
    let services: [any Service]
    let signals = CaughtSignals()
    let database: Database
    let logger: Logger

    /// Builds everything and binds the listeners; nothing runs yet.
    ///
    /// - Throws: what is wrong with the configuration file, the storage or a listen address.
    init(settings: Settings, logger: Logger) async throws {
        let access = try settings.webConfigFile.map { try WebConfigurationFile($0, logger: logger) }
        let store = try ConfigurationStore(settings, access)
        store.warnOfEmptyFiles(logger)
        // Before the first thread: the C library's time zone belongs to the process.
        LocalTimeZone.use(store.current.speedTest.timeZone)
        let storage = try await OpenedStorage(file: settings.storagePath, logger: logger)
        let context = PartContext(configuration: store.current, settings: settings, storage: storage, logger: logger)

        let host = HostMonitor(configuration: context.configuration.pathConfiguration(settings.path))
        let follower = try HostFollower(context.configuration.host, host: host, logger: logger)
        let path = PathService(context, host, follower)
        let targets = try TargetService(context, host)
        let internet = InternetService(context, host, targets, follower)
        let speedTests = SpeedTestService(context, host, follower)
        let faults = FaultService(context, host, targets, internet, speedTests, follower)
        let uplinks = UplinkService(context, host, targets, internet, speedTests, faults, follower)
        let requirements = RequirementService(context, host, targets, internet, speedTests, uplinks)
        let queue = try QueueService(context, host, requirements)
        let webhooks = WebhookService(context, host, internet, faults, uplinks, speedTests, queue)
        let requests = RequestMetrics()
        let events = EventService(context, host, internet, faults, uplinks, speedTests, queue, requests)
        let history = HistoryService(context, host, targets, internet, faults, uplinks)
        let report = ReportPart(context, history)
        let status = StatusPart(
            context,
            path,
            targets,
            internet,
            speedTests,
            faults,
            uplinks,
            requirements,
            queue,
            history
        )
        let server = SpeedTestServerPart(context)
        let process = ProcessPart(context, internet, targets, faults, uplinks, speedTests, queue)
        let configuration = ConfigurationPart(context, store: store, hangups: signals.hangups)
        let all: [(any Part)?] = [
            path, follower, targets, internet, speedTests, faults, uplinks, requirements, queue, webhooks, status,
            events, history, report, server, process, requests, configuration,
        ]
        let parts = all.compactMap(\.self)

        web = try WebServer(context, parts, requirements, requests, access)
        services = parts.flatMap(\.services) + web.services
        store.onChange { configuration in for part in parts { part.apply(configuration) } }
        (database, self.logger) = (storage.database, logger)
    }
}
