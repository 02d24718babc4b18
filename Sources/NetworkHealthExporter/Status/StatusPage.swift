import MicroHTTP

/// The page at `/`: one document, whose script reads `/api/v1/status` and follows `/api/v1/stream`.
struct StatusPage: Sendable {
    let settings: Settings
    let configuration: @Sendable () -> Configuration
    private let headers: Headers

    init(settings: Settings, configuration: @escaping @Sendable () -> Configuration) {
        (self.settings, self.configuration) = (settings, configuration)
        // A page of another site must not frame this one, and does not learn its address.
        headers = [
            "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": PageContent.policy,
            "Referrer-Policy": "same-origin",
        ]
    }

    @Sendable func answer(_ request: Request) -> Response {
        let configuration = configuration()
        let html = Self.html(
            settings,
            hosts: configuration.internet.contactedHosts,
            watchesGateway: configuration.gateway.target != nil,
            servesSpeedTests: configuration.speedTestServer.isEnabled
        )
        return Response(headers: headers, body: .bytes(Array(html.utf8)), isCompressible: true)
    }

    /// From the prefix without a slash at its end, from which the relative addresses of the page would lead elsewhere.
    @Sendable func redirect(_ request: Request) -> Response {
        let query = request.target.firstIndex(of: "?").map { request.target[$0...] } ?? ""
        return Response(status: 307, headers: ["Location": "\(settings.routePrefix)/\(query)"], body: .bytes([]))
    }

    /// The document; `hosts` are contacted without being a target.
    static func html(
        _ settings: Settings,
        hosts: [String],
        watchesGateway: Bool = false,
        servesSpeedTests: Bool = false
    ) -> String {
        PageContent.html([
            "links": PageLinks.items(settings, servesSpeedTests: servesSpeedTests),
            "contacts": PageLinks.contacts(hosts, watchesGateway: watchesGateway),
            "version": PageLinks.escaped(Version.number), "revision": PageLinks.escaped(Version.revision),
        ])
    }
}
