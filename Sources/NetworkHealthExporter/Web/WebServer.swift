import Glibc
import Logging
import MicroHTTP
import ServiceLifecycle

/// The web server of all parts, and the one that serves health alone; composed last, as it needs every collector and route.
struct WebServer: Sendable {
    /// The addresses, with the ports that the system chose.
    let addresses: [ListenAddress]
    let usesTLS: Bool
    private let servers: [Server]

    /// Binds the listeners; nothing is answered yet.
    ///
    /// - Parameters:
    ///   - context: where to listen and below which prefix, and the log of refused connections.
    ///   - parts: their collectors are `/metrics`, their routes the table.
    ///   - requirements: the names of these are in some errors.
    ///   - requests: counts answers and connections.
    ///   - access: TLS and users; nil: neither.
    /// - Throws: what is wrong with a listen address.
    init(
        _ context: PartContext,
        _ parts: [any Part],
        _ requirements: RequirementService,
        _ requests: RequestMetrics,
        _ access: WebConfigurationFile?
    ) throws {
        let (settings, logger) = (context.settings, context.logger)
        let metrics = MetricsView(collectors: parts.flatMap(\.collectors))
        let table =
            parts.flatMap(\.routes) + [
                settings.route(.get, settings.telemetryPath, "metrics", .immediate(metrics.answer))
            ]
        let errors = ErrorAnswers(requirements: requirements.evaluator)
        let healthPaths = Set(Self.healthPaths.map { settings.routePrefix + $0 })
        let guarded = context.browsers.guarding(
            table,
            open: healthPaths.union([MiniRoutes.configurationPath]),
            closed: [settings.routePrefix + ConfigurationPart.path],
            answer: errors.answer
        )
        requests.declare(handlers: guarded.map(\.name))

        func server(_ configuration: Server.Configuration, _ table: [Route]) throws -> Server {
            var configuration = configuration
            configuration.commonHeaders = Self.commonHeaders
            configuration.errorResponse = errors.answer
            configuration.onResponse = { requests.count(handler: $0 ?? "unknown", code: $1) }
            let refusals = RefusedConnectionReporter(logger: logger)
            configuration.onConnection = { event in
                requests.count(event)
                if case .refused(let refusal) = event { refusals.refused(refusal) }
            }
            configuration.onEvent = { event in
                if case .diagnostic = event { logger.debug("\(event)") } else { logger.warning("\(event)") }
            }
            return try Server(configuration: configuration, routes: table)
        }

        var configuration = try ListenSockets.configuration(settings)
        if let access {
            configuration.access = access.policy
            if access.usesTLS { configuration.tls = access.context }
        }
        var servers = [try server(configuration, guarded)]
        if let address = settings.healthListenAddress {
            // Needs neither a password nor TLS, also for the prober of a container.
            let configuration = Server.Configuration(addresses: [try ListenAddress(address)])
            servers.append(try server(configuration, table.filter { healthPaths.contains($0.path) }))
        }
        self.servers = servers
        usesTLS = access?.usesTLS ?? false
        addresses = try zip(servers, [FlagName.listenAddress, .healthListenAddress]).flatMap(Self.bind)
    }

    /// Binds a server; where another program has its port, the error names the flag that chooses another one.
    private static func bind(_ server: Server, _ flag: FlagName) throws -> [ListenAddress] {
        do {
            return try server.bind()
        } catch let error as ListenError where error.errorNumber == EADDRINUSE {
            throw UsageError("\(error): choose another port with \(flag) or \(flag.variable)")
        }
    }

    var services: [any Service] { servers.map { server in Job { try await server.run() } } }

    /// What shows nothing but health, so that every prober and every page may ask for it.
    private static let healthPaths = [HealthView.path, "/-/healthy", "/-/ready"]

    /// No answer may be cached: each one describes this instant.
    private static let commonHeaders: Headers = [
        "Cache-Control": "no-store", "Vary": "Accept", "X-Content-Type-Options": "nosniff",
    ]

    /// Whether `path` is available for the metrics: a plain path that no part has.
    ///
    /// At `/` they replace the page.
    static func isFree(_ path: String) -> Bool {
        guard path.hasPrefix("/"), isPlain(path), !path.dropFirst().hasPrefix("/") else { return false }
        return ![HealthView.path, ConfigurationPart.path, "/probe"].contains(path)
            && !["/-/", "/api/"].contains { path.hasPrefix($0) }
            && !SpeedTestRoutes.isTaken(path)
    }

    /// Whether a path reads the same in a URL and in the table: no escapes, wildcards, spaces or quotes.
    static func isPlain(_ path: String) -> Bool {
        path.utf8.allSatisfy { byte in byte > 0x20 && byte < 0x7f && !"*?#%\\\"<>".utf8.contains(byte) }
    }
}

/// The errors of the server itself, in the form of the path's other answers.
struct ErrorAnswers: Sendable {
    let requirements: RequirementEvaluator

    @Sendable func answer(path: String, status: Int, message: String) -> Response {
        // A target that cannot be decoded may hold the name of a requirement.
        let hint =
            status == 400 && path.prefix { $0 != "?" }.hasSuffix(HealthView.path)
            ? "; a requirement is \(requirements.valid)" : ""
        let isJSON = path.contains("/api/")
        return .error(isJSON ? message : message + hint, status: status, asJSON: isJSON)
    }
}
