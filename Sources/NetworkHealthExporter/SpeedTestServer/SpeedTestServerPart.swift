import Logging
import MicroHTTP
import SpeedTestCore

/// The embedded speed-test server, against which other hosts test.
///
/// Reads no other part. No other part reads it.
struct SpeedTestServerPart: Part {
    let server: EmbeddedServer
    private let settings: Settings

    init(_ configuration: Configuration, settings: Settings = Settings(), logger: Logger) {
        let refusals = ClientRefusalReporter(logger: logger)
        server = EmbeddedServer(limits: configuration.speedTestServer.effectiveLimits, onRefusal: refusals.refused)
        self.settings = settings
    }

    func apply(_ configuration: Configuration) { server.apply(configuration.speedTestServer.effectiveLimits) }

    var collectors: [Collector] {
        [Collector("speedtest_server", .moving, of: { [server] in server.statistics }, EmbeddedServerMetrics.families)]
    }

    var routes: [Route] {
        SpeedTestRoutes(
            answers: SpeedTestAnswers(server: server),
            prefix: settings.routePrefix,
            externalURL: settings.externalURL
        ).table
    }
}
