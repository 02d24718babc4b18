/// The links of the page at `/` to the other paths, and the hosts that are contacted; both are there without JavaScript.
struct PageLinks: Sendable {
    /// Right below any prefix and behind any proxy.
    typealias Link = (path: String, name: String, purpose: String)

    private static let speedTestServer: Link = (
        "/speedtest/", "Speed-test server", "for clients that measure the speed to this host"
    )

    /// The items of a list, as HTML.
    static func items(_ settings: Settings, servesSpeedTests: Bool = false) -> String {
        let links = links(settings) + (servesSpeedTests ? [speedTestServer] : [])
        return links.map { path, name, purpose in
            "<li><a href=\"\(escaped(relative(path)))\">\(name)</a>: \(purpose)</li>"
        }.joined(separator: "\n")
    }

    /// The link from the page to a path; before a colon the first segment would be a scheme (RFC 3986, section 4.2).
    private static func relative(_ path: String) -> String {
        let reference = path.dropFirst()
        return (reference.prefix { $0 != "/" && $0 != "?" }.contains(":") ? "./" : "") + reference
    }

    /// Every path that answers a browser's `GET`.
    private static func links(_ settings: Settings) -> [Link] {
        [
            (settings.telemetryPath, "Metrics", "for Prometheus"),
            ("/health", "Health", "200 while online, else 503; <code>?requirement=</code> names another requirement"),
            ("/probe", "Probe", "the last probe of the target that <code>?target=</code> names"),
            ("/api/v1/status", "Status", "what this page shows, as JSON"),
            ("/api/v1/diagnosis", "Diagnosis", "what is wrong with the network, where, and how that is known, as JSON"),
            ("/api/v1/sd", "Service discovery", "the targets, for <code>http_sd_configs</code> of Prometheus"),
            ("/api/v1/snapshot", "Snapshot", "what is known now, as JSON"),
            ("/api/v1/stream", "Stream", "each change as it happens, as Server-Sent Events"),
            (
                "/api/v1/history?kind=transitions", "History",
                "the transitions of the last 24 hours; <code>?kind=</code> also takes outages, speedtests and latency"
            ),
            (
                "/api/v1/report", "Report",
                "the last 30 days, to read, to print or to send; <code>?month=</code> names another month"
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

    /// A sentence, as HTML; `hosts` are contacted without being a target.
    static func contacts(_ hosts: [String], watchesGateway: Bool = false) -> String {
        let suffix = watchesGateway ? gateway : ""
        guard !hosts.isEmpty else { return "Contacts only the configured targets.\(suffix)" }
        let list = hosts.map { "<code>\(escaped($0))</code>" }.joined(separator: ", ")
        return
            "To probe the internet it contacts \(list); <code>internet: { enabled: false }</code> stops that.\(suffix)"
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
