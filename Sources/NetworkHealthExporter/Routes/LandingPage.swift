import MicroHTTP
import Probing

/// The page at `/`: the version, links to the other paths, and the hosts that are contacted.
struct LandingPage: Sendable {
    let settings: Settings
    let store: ConfigurationStore

    @Sendable func answer(_ request: Request) -> Response {
        let configuration = store.current
        return .html(
            Self.html(
                settings,
                hosts: configuration.internet.contactedHosts,
                watchesGateway: configuration.gateway.target != nil,
                servesSpeedTests: configuration.speedTestServer.isEnabled
            )
        )
    }

    /// The page; `hosts` are contacted without being a target.
    ///
    /// Links are relative, so that they work behind any proxy.
    static func html(
        _ settings: Settings,
        hosts: [String],
        watchesGateway: Bool = false,
        servesSpeedTests: Bool = false
    ) -> String {
        let links = links(settings) + (servesSpeedTests ? [speedTestServer] : [])
        let items = links.map { path, name, purpose in
            "<li><a href=\"\(escaped(String(path.dropFirst())))\">\(name)</a>: \(purpose)</li>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="UTF-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Network Health Exporter</title>
            <style>
            body { font-family: system-ui, sans-serif; margin: 0; color: #222; }
            header { background: #e6522c; color: #fff; padding: 1rem 1.5rem; }
            h1 { font-size: 1.4rem; margin: 0; }
            main { padding: 1rem 1.5rem; line-height: 1.6; }
            </style>
            </head>
            <body>
            <header><h1>Network Health Exporter</h1></header>
            <main>
            <p>Reports, event by event, whether this host is connected, over which type of interface, and at what cost.</p>
            <p>Version: \(escaped(Version.number)), revision \(escaped(Version.revision))</p>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            <p>\(contacts(hosts))\(watchesGateway ? gateway : "")</p>
            </main>
            </body>
            </html>

            """
    }

    private typealias Link = (path: String, name: String, purpose: String)

    private static let speedTestServer: Link = (
        "/speedtest/", "Speed-test server", "for clients that measure the speed to this host"
    )

    /// Every path that answers a browser's `GET`.
    private static func links(_ settings: Settings) -> [Link] {
        [
            (settings.telemetryPath, "Metrics", "for Prometheus"),
            ("/health", "Health", "200 while online, else 503; <code>?requirement=</code> names another requirement"),
            ("/probe", "Probe", "the last probe of the target that <code>?target=</code> names"),
            ("/api/v1/sd", "Service discovery", "the targets, for <code>http_sd_configs</code> of Prometheus"),
            ("/api/v1/snapshot", "Snapshot", "what is known now, as JSON"),
            ("/api/v1/status", "Status", "the state with uptime, outages, speed tests and requirements, as JSON"),
            ("/api/v1/stream", "Stream", "each change as it happens, as Server-Sent Events"),
            (
                "/api/v1/history?kind=transitions", "History",
                "the transitions of the last 24 hours; <code>?kind=</code> also takes outages, speedtests and latency"
            ),
            (
                "/api/v1/requests", "Requests",
                "the requests that wait for the network, as JSON; 403 while the queue is off"
            ),
            ("/api/v1/speedtest", "Speed test", "the last result, as JSON"),
            ("/api/v1/openapi.json", "OpenAPI", "the description of these paths"),
            ("/config", "Configuration", "the one in force"),
            ("/-/healthy", "Liveness", "200 while serving"),
            ("/-/ready", "Readiness", "200 once the first evaluation is complete"),
        ]
    }

    private static let gateway =
        " It pings the router of the path; <code>gateway: { enabled: false }</code> stops that."

    private static func contacts(_ hosts: [String]) -> String {
        guard !hosts.isEmpty else { return "Contacts only the configured targets." }
        let list = hosts.map { "<code>\(escaped($0))</code>" }.joined(separator: ", ")
        return
            "To probe the internet it contacts \(list); <code>internet: { enabled: false }</code> stops that."
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
