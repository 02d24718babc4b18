import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing

/// What the routes show: each reads memory and returns.
struct Views: Sendable {
    let monitor: HealthMonitor
    let configurationStore: ConfigurationStore
    let metrics: MetricsView
    let health: HealthView
    let probe: ProbeView
    let reload: ReloadView
    let speedTest: SpeedTestView
    let stream: StreamView
    let history: HistoryView
    let landingPage: LandingPage
    /// How far the internet is.
    let latency: @Sendable () -> NetworkLatency?

    /// 200 once the first evaluation is complete; until then why it is not.
    @Sendable func ready(_ request: Request) -> Response {
        guard monitor.current == nil else { return .text("Ready\n") }
        let reason = monitor.pathMonitor.failure.map { ": \($0)" } ?? ""
        return .text("Starting\(reason)\n", status: 503)
    }

    /// The effective configuration.
    @Sendable func configuration(_ request: Request) -> Response {
        .bytes(Array(configurationStore.current.yaml.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// The snapshot as JSON; 503 before there is one.
    @Sendable func snapshot(_ request: Request) -> Response {
        guard let state = monitor.current else { return .json(Array(#"{"error":"starting"}"#.utf8), status: 503) }
        return .json(SnapshotDocument(state, latency: latency()).json)
    }
}
