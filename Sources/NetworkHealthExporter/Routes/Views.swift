import MicroHTTP
import NetworkHealth

/// What the routes show: each reads memory and returns.
struct Views: Sendable {
    let monitor: HealthMonitor
    let configurationStore: ConfigurationStore
    let metrics: MetricsView
    let health: HealthView
    let reload: ReloadView
    let landingPage: String

    /// 200 once the first evaluation is complete.
    @Sendable func ready(_ request: Request) -> Response {
        monitor.current == nil ? .text("Starting\n", status: 503) : .text("Ready\n")
    }

    /// The effective configuration.
    @Sendable func configuration(_ request: Request) -> Response {
        .bytes(Array(configurationStore.current.yaml.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// The snapshot as JSON; 503 before there is one.
    @Sendable func snapshot(_ request: Request) -> Response {
        guard let state = monitor.current else { return .json(Array(#"{"error":"starting"}"#.utf8), status: 503) }
        return .json(SnapshotDocument(state).json)
    }
}
