import MicroHTTP

/// The table of all paths of the web server; each path is declared here once.
struct Routes: Sendable {
    /// The name of the route of requirements, for the metrics.
    static let health = "health"
    /// The name of the route of the page at `/`, for the metrics.
    private static let page = "page"

    private static let configuration = "/config"

    let views: Views
    let settings: Settings

    /// What shows nothing but health, so that every prober and every page may ask for it.
    var healthPaths: [String] { ["/health", "/-/healthy", "/-/ready"].map { settings.routePrefix + $0 } }

    /// The path of the configuration in force.
    var configurationPath: String { settings.routePrefix + Self.configuration }

    var table: [Route] {
        let prefix = settings.routePrefix
        let rows: [(Method, String, String, Route.Handler)] = [
            (.get, settings.telemetryPath, "metrics", .immediate(views.metrics.answer)),
            (.get, "/health", Self.health, .immediate(views.health.answer)),
            (.get, "/-/healthy", "healthy", .immediate { _ in .text("Healthy\n") }),
            (.get, "/-/ready", "ready", .immediate(views.state.ready)),
            (.post, "/-/reload", "reload", .waiting(views.reload.answer)),
            (.put, "/-/reload", "reload", .waiting(views.reload.answer)),
            (.get, Self.configuration, "config", .immediate(views.state.configuration)),
            (.get, "/probe", "probe", .immediate(views.probe.answer)),
            (.get, "/api/v1/sd", "sd", .immediate(views.discovery.answer)),
            (.get, "/api/v1/snapshot", "snapshot", .immediate(views.state.snapshot)),
            (.get, "/api/v1/status", "status", .waiting(views.status.answer)),
            (.get, "/api/v1/stream", "stream", .immediate(views.stream.answer)),
            (.get, "/api/v1/speedtest", "speedtest", .immediate(views.speedTest.last)),
            (.post, "/api/v1/speedtest", "speedtest", .waiting(views.speedTest.start)),
            (.get, "/api/v1/history", "history", .waiting(views.history.answer)),
            (.get, RequestsView.path, "requests", .waiting(views.queue.list)),
            (.get, RequestsView.path + "/*", "requests", .waiting(views.queue.one)),
            (.post, RequestsView.path, "requests", .waiting(views.queue.enqueue)),
            (.post, RequestsView.path + "/*", "requests", .waiting(views.queue.retry)),
            (.delete, RequestsView.path, "requests", .waiting(views.queue.remove)),
            (.delete, RequestsView.path + "/*", "requests", .waiting(views.queue.remove)),
            (.get, "/api/v1/openapi.json", "openapi", .immediate(OpenAPIDocument(settings: settings).answer)),
            (.get, "/", Self.page, .immediate(views.page.answer)),
        ]
        // Metrics at `/` replace the page.
        let isTaken = settings.telemetryPath == "/"
        let longPoll = Route(
            .get,
            prefix + "/health",
            name: Self.health,
            when: HealthView.isLongPoll,
            handler: .longPoll(views.health.wait, present: views.health.answer)
        )
        let redirect = Route(.get, prefix, name: Self.page, handler: .immediate(views.page.redirect))
        return [longPoll] + (prefix.isEmpty || isTaken ? [] : [redirect])
            + rows.filter { !isTaken || $0.2 != Self.page }.map { method, path, name, handler in
                let limit = method == .post && path == RequestsView.path ? RequestsView.bodyLimit : 0
                let refusal = path.hasPrefix(RequestsView.path) ? views.queue.refusal : nil
                return Route(method, prefix + path, name: name, bodyLimit: limit, refusal: refusal, handler: handler)
            }
    }

    /// What needs no password at `--web.health-listen-address`, also for the prober of a container.
    var healthTable: [Route] {
        let paths = healthPaths
        return table.filter { paths.contains($0.path) }
    }

    /// Whether `path` is available for the metrics: a plain path that no other row has.
    ///
    /// At `/` they replace the page.
    static func isFree(_ path: String) -> Bool {
        guard path.hasPrefix("/"), isPlain(path), !path.dropFirst().hasPrefix("/") else { return false }
        return !["/health", configuration, "/probe"].contains(path)
            && !["/-/", "/api/"].contains { path.hasPrefix($0) }
            && !SpeedTestRoutes.isTaken(path)
    }

    /// Whether a path reads the same in a URL and in this table: no escapes, wildcards, spaces or quotes.
    static func isPlain(_ path: String) -> Bool {
        path.utf8.allSatisfy { byte in byte > 0x20 && byte < 0x7f && !"*?#%\\\"<>".utf8.contains(byte) }
    }

    /// No answer may be cached: each one describes this instant.
    static let commonHeaders: Headers = [
        "Cache-Control": "no-store", "Vary": "Accept", "X-Content-Type-Options": "nosniff",
    ]

    /// The errors of the server itself, in the form of the path's other answers.
    @Sendable func errorResponse(path: String, status: Int, message: String) -> Response {
        // A target that cannot be decoded may hold the name of a requirement.
        let hint =
            status == 400 && path.prefix { $0 != "?" }.hasSuffix("/health")
            ? "; \(views.health.requirements.valid)" : ""
        let isJSON = path.contains("/api/")
        return .error(isJSON ? message : message + hint, status: status, asJSON: isJSON)
    }
}
