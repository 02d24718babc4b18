import Logging
import MicroHTTP
import NetworkHealth
import NetworkPath
import SpeedTestCore

/// What the routes show: each view reads memory and returns.
struct Views: Sendable {
    let state: StateView
    let metrics: MetricsView
    let health: HealthView
    let status: StatusView
    let probe: ProbeView
    let discovery: DiscoveryView
    let reload: ReloadView
    let speedTest: SpeedTestView
    let stream: StreamView
    let history: HistoryView
    let queue: RequestsView
    let page: StatusPage
    private let browsers: BrowserGuard
    private let speedTestServer: EmbeddedServer
    private let requests: RequestMetrics
    private let settings: Settings
    private let logger: Logger

    init(
        sources: Sources,
        requirements: RequirementEvaluator,
        deliveries: QueueService,
        events: EventLog,
        history: HistoryRecorder,
        lastOutage: DatedOutage?,
        speedTestServer: EmbeddedServer,
        store: ConfigurationStore,
        settings: Settings,
        logger: Logger
    ) {
        let requests = RequestMetrics()
        browsers = BrowserGuard(
            names: KnownNames(allowed: settings.allowedHosts, externalURL: settings.externalURL)
        )
        let queue = RequestsView(
            queue: deliveries.queue,
            news: deliveries.news,
            prefix: settings.routePrefix,
            browsers: browsers,
            configuration: { store.current.offlineQueue },
            isRequirement: { requirements.requirement(named: $0) != nil }
        )
        self.queue = queue
        let collectors = Collectors.all(
            sources,
            requirements: requirements,
            deliveries: deliveries,
            disabledQueueRefusals: { queue.refusals },
            speedTestServer: speedTestServer,
            store: store,
            requests: requests,
            process: settings.exporterMetrics ? ProcessReader(procfs: settings.path.roots.procfs) : nil,
            storage: settings.storagePath == nil ? nil : history.database,
            lastOutage: lastOutage
        )
        state = StateView(host: sources.host, store: store, latency: { sources.latency })
        metrics = MetricsView(collectors: collectors)
        health = HealthView(
            requirements: requirements,
            latency: { sources.latency },
            nextMeasurement: { sources.speedTests.board.read(\.nextRun) },
            notice: { store.current.speedTestNotice }
        )
        probe = ProbeView(targets: sources.targets.monitor)
        discovery = DiscoveryView(targets: sources.targets.monitor, settings: settings)
        reload = ReloadView(store: store, isAllowed: settings.allowsLifecycle, browsers: browsers, logger: logger)
        speedTest = SpeedTestView(
            service: sources.speedTests,
            isAllowed: settings.allowsAdminAPI,
            browsers: browsers,
            adopted: { sources.adoptedSpeedTests },
            isHostSilent: { sources.hostFollower?.isUp == false }
        )
        stream = StreamView(log: events, onRefusal: requests.rejectStream)
        self.history = HistoryView(recorder: history, logger: logger)
        status = StatusView(
            sources: sources,
            health: health,
            speedTest: speedTest,
            deliveries: deliveries,
            recorder: history,
            store: store,
            settings: settings,
            logger: logger
        )
        page = StatusPage(settings: settings, store: store)
        (self.speedTestServer, self.requests) = (speedTestServer, requests)
        (self.settings, self.logger) = (settings, logger)
    }

    /// The web server of these views, not bound yet; `web`: its TLS and users.
    ///
    /// - Throws: what is wrong with a listen address.
    func server(_ web: WebConfigurationFile?) throws -> Server {
        let routes = Routes(views: self, settings: settings)
        let speedTests = SpeedTestRoutes(
            answers: SpeedTestAnswers(server: speedTestServer),
            prefix: settings.routePrefix,
            externalURL: settings.externalURL
        )
        let table = browsers.guarding(
            routes.table + speedTests.table,
            open: Set(routes.healthPaths + [MiniRoutes.configurationPath]),
            closed: [routes.configurationPath],
            answer: routes.errorResponse
        )
        requests.declare(handlers: table.map(\.name))
        var configuration = try ListenSockets.configuration(settings)
        if let web {
            configuration.access = web.policy
            if web.usesTLS { configuration.tls = web.context }
        }
        return try server(configuration, routes, table)
    }

    /// The server that answers nothing but health, without TLS and users; nil where it is not configured.
    ///
    /// - Throws: what is wrong with the listen address.
    func healthServer() throws -> Server? {
        guard let address = settings.healthListenAddress else { return nil }
        let routes = Routes(views: self, settings: settings)
        let configuration = Server.Configuration(addresses: [try ListenAddress(address)])
        return try server(configuration, routes, routes.healthTable)
    }

    private func server(_ configuration: Server.Configuration, _ routes: Routes, _ table: [Route]) throws -> Server {
        var configuration = configuration
        configuration.commonHeaders = Routes.commonHeaders
        configuration.errorResponse = routes.errorResponse
        configuration.onResponse = { [requests] in requests.count(handler: $0 ?? "unknown", code: $1) }
        let refusals = RefusedConnectionReporter(logger: logger)
        configuration.onConnection = { [requests] event in
            requests.count(event)
            if case .refused(let refusal) = event { refusals.refused(refusal) }
        }
        configuration.onEvent = { [logger] event in
            if case .diagnostic = event { logger.debug("\(event)") } else { logger.warning("\(event)") }
        }
        return try Server(configuration: configuration, routes: table)
    }
}
