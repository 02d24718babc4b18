import HTTPTransfer
import MicroHTTP
import Posix
import Probing

/// `/api/v1/sd`: the configured targets as Prometheus' HTTP service discovery reads them; each is scraped from `/probe`.
struct DiscoveryView: Sendable {
    /// A list of targets and the labels that they share.
    struct Group: Encodable, Equatable {
        let targets: [String]
        let labels: [String: String]
    }

    private let targets: TargetMonitor
    /// Where this exporter is reached; nil: where the request has reached it.
    private let externalURL: WebURL?
    private let probePath: String

    init(targets: TargetMonitor, settings: Settings) {
        self.targets = targets
        externalURL = settings.externalURL
        probePath = settings.routePrefix + "/probe"
    }

    @Sendable func answer(_ request: Request) -> Response {
        guard let place = externalURL?.hostPort ?? Self.place(of: request) else {
            return .error("expected a header Host such as example.com:10319, or --web.external-url", status: 400)
        }
        // A router that is watched without a configuration is no target of the operator's, and not always there.
        let scheme = externalURL?.scheme ?? (request.isTLS ? "https" : nil)
        let listed = targets.reports.map(\.target).filter { !$0.isBuiltIn }
        return .json(listed.map { group($0, at: place, scheme: scheme) }.json)
    }

    /// Prometheus wants a port; without one, the request came to that of its scheme.
    static func place(of request: Request) -> HostPort? {
        guard let host = request.headers.values("Host").first.flatMap({ HostPort($0) }) else { return nil }
        return HostPort(host: host.host, port: host.port ?? (request.isTLS ? 443 : 80))
    }

    private func group(_ target: Target, at place: HostPort, scheme: String?) -> Group {
        var labels = target.labels
        labels["__metrics_path__"] = probePath
        labels["__param_target"] = target.name
        labels["__meta_network_health_module"] = target.module
        // All have one address, and so one `instance`: without a label of its own, each would overwrite the others' series.
        labels["target"] = target.name
        if let scheme { labels["__scheme__"] = scheme }
        return Group(targets: [place.description], labels: labels)
    }
}
