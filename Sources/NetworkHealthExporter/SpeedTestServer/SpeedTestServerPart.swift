import Logging
import MicroHTTP
import SpeedTestCore

/// The embedded speed-test server, against which other hosts test.
///
/// Reads no other part. No other part reads it.
struct SpeedTestServerPart: Part {
    let server: EmbeddedServer
    private let settings: Settings

    init(_ context: PartContext) {
        let refusals = ClientRefusalReporter(logger: context.logger)
        server = EmbeddedServer(
            limits: context.configuration.speedTestServer.effectiveLimits,
            onRefusal: refusals.refused
        )
        settings = context.settings
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
