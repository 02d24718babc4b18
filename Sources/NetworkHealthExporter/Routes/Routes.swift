import MicroHTTP

/// The table of everything this server answers; each path stands here once.
struct Routes: Sendable {
    let views: Views
    let settings: Settings

    var table: [Route] {
        let prefix = settings.routePrefix
        let rows: [(Method, String, String, Route.Handler)] = [
            (.get, settings.telemetryPath, "metrics", .immediate(views.metrics.answer)),
            (.get, "/health", "health", .immediate(views.health.answer)),
            (.get, "/-/healthy", "healthy", .immediate { _ in .text("Healthy\n") }),
            (.get, "/-/ready", "ready", .immediate(views.ready)),
            (.post, "/-/reload", "reload", .waiting(views.reload.answer)),
            (.put, "/-/reload", "reload", .waiting(views.reload.answer)),
            (.get, "/config", "config", .immediate(views.configuration)),
            (.get, "/api/v1/snapshot", "snapshot", .immediate(views.snapshot)),
            (.get, "/", "landing", .immediate { _ in .html(views.landingPage) }),
        ]
        return rows.map { method, path, name, handler in
            Route(method, prefix + path, name: name, handler: handler)
        }
    }

    /// Nothing here may be kept by a cache: every answer is about this instant.
    static let commonHeaders: Headers = [
        "Cache-Control": "no-store", "Vary": "Accept", "X-Content-Type-Options": "nosniff",
    ]

    /// What the server itself refuses, in the form of the path's other answers.
    @Sendable static func errorResponse(path: String, status: Int, message: String) -> Response {
        path.contains("/api/")
            ? .json(Array("{\"error\":\(JSONText.quoted(message))}".utf8), status: status)
            : .text("\(message)\n", status: status)
    }
}
