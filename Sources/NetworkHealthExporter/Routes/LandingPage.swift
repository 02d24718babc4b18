import MicroHTTP
import Probing

/// The page at `/`: what this is, where the rest is, and whom it contacts.
struct LandingPage: Sendable {
    let settings: Settings
    let store: ConfigurationStore

    @Sendable func answer(_ request: Request) -> Response {
        let internet = store.current.internet
        return .html(Self.html(settings, hosts: internet.isEnabled ? internet.configuration.hosts : []))
    }

    /// The page; `hosts` are those who are contacted without being named as a target.
    ///
    /// Links are relative, so that they are right behind any proxy.
    static func html(_ settings: Settings, hosts: [String]) -> String {
        let links = [
            (settings.telemetryPath, "Metrics", "for Prometheus"),
            ("/health", "Health", "200 while online, else 503"),
            ("/api/v1/snapshot", "Snapshot", "what is known now, as JSON"),
            ("/config", "Configuration", "the one in force"),
            ("/-/healthy", "Liveness", "200 while serving"),
            ("/-/ready", "Readiness", "200 once the first evaluation is complete"),
        ]
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
            <p>Knows, event by event, whether this host is connected, over what kind of interface, and at what cost.</p>
            <p>Version: \(escaped(Version.number)), revision \(escaped(Version.revision))</p>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            <p>\(contacts(hosts))</p>
            </main>
            </body>
            </html>

            """
    }

    private static func contacts(_ hosts: [String]) -> String {
        guard !hosts.isEmpty else { return "Contacts nobody but the configured targets." }
        let list = hosts.map { "<code>\(escaped($0))</code>" }.joined(separator: ", ")
        return
            "To see whether there is an internet it contacts \(list); <code>internet: { enabled: false }</code> stops that."
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
