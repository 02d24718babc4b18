import MicroHTTP
import ServiceLifecycle

/// One subject of the exporter: what runs, what it shows, and how a reload reaches it.
///
/// `Exporter` lists all parts; services, `/metrics`, the web server's table and reloads are made from that list. A part reads
/// another one only through its initialiser. Its tables are a name in `Schema.exporter`, since the file is opened before
/// any part exists; its section is a line of `Configuration`.
///
/// ```swift
/// struct ClockPart: Part {
///     init(_ context: PartContext) {}
///
///     var collectors: [Collector] { [Collector("clock", .moving, of: { Date.now }, ClockMetrics.families)] }
/// }
/// ```
protocol Part: Sendable {
    /// What runs, in the order in which it starts.
    var services: [any Service] { get }
    /// Its subjects of `/metrics`; read once.
    var collectors: [Collector] { get }
    /// Its rows of the web server's table; read once.
    var routes: [Route] { get }
    /// The one way by which a reload arrives; called on the thread that reloads, with each configuration that differs.
    func apply(_ configuration: Configuration)
}

extension Part {
    var services: [any Service] { [] }
    var collectors: [Collector] { [] }
    var routes: [Route] { [] }
    func apply(_ configuration: Configuration) {}
}

extension Part where Self: Service {
    var services: [any Service] { [self] }
}

extension Settings {
    /// A row of the web server's table, below the prefix of every path.
    func route(
        _ method: Method,
        _ path: String,
        _ name: String,
        bodyLimit: Int = 0,
        when: (@Sendable (Request) -> Bool)? = nil,
        refusal: (@Sendable (Request) -> Response?)? = nil,
        _ handler: Route.Handler
    ) -> Route {
        Route(
            method,
            routePrefix + path,
            name: name,
            bodyLimit: bodyLimit,
            when: when,
            refusal: refusal,
            handler: handler
        )
    }
}
