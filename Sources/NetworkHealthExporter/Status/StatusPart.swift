import Coordination
import MicroHTTP
import NetworkHealth
import NetworkPath
import ServiceLifecycle

/// What a person reads: the page, the document that it shows, and the log of transitions.
///
/// Reads all parts whose facts are on the page. No other part reads it.
struct StatusPart: Part {
    private let view: StatusView
    private let state: StateView
    private let page: StatusPage
    private let log: StatusLog
    private let settings: Settings
    private let configuration: Locked<Configuration>

    init(
        _ context: PartContext,
        _ path: PathService,
        _ targets: TargetService,
        _ internet: InternetService,
        _ speedTests: SpeedTestService,
        _ faults: FaultService,
        _ uplinks: UplinkService,
        _ requirements: RequirementService,
        _ queue: QueueService,
        _ history: HistoryService
    ) {
        let current = Locked(context.configuration)
        let settings = context.settings
        (configuration, self.settings) = (current, settings)
        view = StatusView(
            health: path.host.health,
            targets: targets.monitor,
            internet: internet,
            speedTest: speedTests.view,
            faults: faults,
            uplinks: uplinks,
            requirements: requirements.view,
            queue: queue,
            recorder: history.recorder,
            configuration: { current.withLock { $0 } },
            settings: settings
        )
        state = StateView(
            host: path.host,
            latency: { internet.latency },
            faults: { faults.documents },
            uplinks: { uplinks.documents(isCounted: true) }
        )
        page = StatusPage(settings: settings, configuration: { current.withLock { $0 } })
        log = StatusLog(host: path.host, followsHost: path.follower != nil, logger: context.logger)
    }

    func apply(_ configuration: Configuration) { self.configuration.withLock { $0 = configuration } }

    var services: [any Service] { [log] }

    var routes: [Route] {
        let document = OpenAPIDocument(settings: settings)
        let routes = [
            settings.route(.get, "/-/healthy", "healthy", .immediate { _ in .text("Healthy\n") }),
            settings.route(.get, "/-/ready", "ready", .immediate(state.ready)),
            settings.route(.get, "/api/v1/snapshot", "snapshot", .immediate(state.snapshot)),
            settings.route(.get, "/api/v1/status", "status", .waiting(view.answer)),
            settings.route(.get, "/api/v1/openapi.json", "openapi", .immediate(document.answer)),
        ]
        // Metrics at `/` replace the page.
        if settings.telemetryPath == "/" { return routes }
        let redirects =
            settings.routePrefix.isEmpty ? [] : [settings.route(.get, "", "page", .immediate(page.redirect))]
        return routes + redirects + [settings.route(.get, "/", "page", .immediate(page.answer))]
    }
}
