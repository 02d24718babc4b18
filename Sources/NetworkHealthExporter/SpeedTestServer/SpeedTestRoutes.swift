import HTTPTransfer
import MicroHTTP
import SpeedTestCore

/// The routes of the embedded speed-test server: every dialect below `/speedtest`, some also at the web root.
///
/// While the server is off, its paths are unknown.
struct SpeedTestRoutes: Sendable {
    /// The handler of all routes, for metrics.
    static let name = "speedtest_server"

    let answers: SpeedTestAnswers
    /// The prefix of every path of this exporter.
    let prefix: String
    /// The URL of this exporter behind a proxy; nil: it is not known.
    var externalURL: WebURL?

    /// The base path of the server.
    var base: String { "\(prefix)/speedtest" }

    private var rows: [SpeedTestRow] {
        [
            SpeedTestRow.get("") { [answers] request in answers.page(request) { .text(Self.greeting) } },
            SpeedTestRow.get("/") { [answers] request in answers.page(request) { .text(Self.greeting) } },
        ] + SpeedLabRoutes.rows(answers) + LibreSpeedRoutes.rows(answers) + CloudflareRoutes.rows(answers)
            + NetworkQualityRoutes.rows(answers, base: base, external: externalURL) + NDT7Routes.rows(answers)
            + MiniRoutes.rows(answers)
    }

    var table: [Route] {
        let isOn: @Sendable (Request) -> Bool = { [server = answers.server] _ in server.isOn }
        let routes = rows.flatMap { row in
            (row.isAtRoot ? [base + row.path, row.path] : [base + row.path]).map { path in
                Route(row.method, path, name: Self.name, when: isOn, handler: row.handler)
            }
        }
        let preflights = Set(routes.map(\.path)).map { path in
            Route(.options, path, name: Self.name, when: isOn, handler: .immediate(answers.preflight))
        }
        return routes + preflights
    }

    /// Whether a path belongs to the server, so that no other route may have it.
    static func isTaken(_ path: String) -> Bool {
        let roots = ["/__down", "/__up", "/meta", "/speedtest", MiniRoutes.configurationPath]
        let folders = ["/speedtest/", "/cdn-cgi/", "/.well-known/", "/ndt/", "//"]
        return roots.contains(path) || folders.contains { path.hasPrefix($0) }
    }

    private static let greeting = """
        A speed-test server: speedlab, LibreSpeed, Cloudflare, networkQuality, ndt7 and Speedtest Mini clients can use it.

        """
}

/// One path of a dialect of the embedded speed-test server.
struct SpeedTestRow: Sendable {
    var method: Method
    /// Below the server's base, beginning with `/`.
    var path: String
    /// Also at the web root, for clients with built-in paths.
    var isAtRoot = false
    var handler: Route.Handler

    /// A page or a download.
    static func get(
        _ path: String,
        atRoot isAtRoot: Bool = false,
        _ answer: @escaping @Sendable (Request) -> Response
    ) -> SpeedTestRow {
        SpeedTestRow(method: .get, path: path, isAtRoot: isAtRoot, handler: .immediate(answer))
    }

    /// An upload.
    static func post(
        _ path: String,
        atRoot isAtRoot: Bool = false,
        _ admit: @escaping @Sendable (Request) -> Route.Admission
    ) -> SpeedTestRow {
        SpeedTestRow(method: .post, path: path, isAtRoot: isAtRoot, handler: .sink(admit))
    }
}
