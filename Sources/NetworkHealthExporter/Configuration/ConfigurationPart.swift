import Logging
import MicroHTTP
import ServiceLifecycle

/// The configuration in force: its reloads, what it is, and how the last reload went.
///
/// Reads no other part. Every part receives the configuration by `apply`.
struct ConfigurationPart: Part {
    static let path = "/config"

    private let store: ConfigurationStore
    /// One element for each SIGHUP.
    private let hangups: AsyncStream<Void>
    private let settings: Settings
    private let browsers: BrowserGuard
    private let logger: Logger

    init(_ context: PartContext, store: ConfigurationStore, hangups: AsyncStream<Void>) {
        (self.store, self.hangups) = (store, hangups)
        (settings, browsers, logger) = (context.settings, context.browsers, context.logger)
    }

    var services: [any Service] {
        [
            ReloadService(
                store: store,
                hangups: hangups,
                interval: settings.autoReloads ? settings.autoReloadInterval : nil,
                logger: logger
            ),
            FileWatchService(store: store, logger: logger),
        ]
    }

    var collectors: [Collector] {
        [Collector("config", of: { [store] in store.outcome }, ConfigurationMetrics.families)]
    }

    var routes: [Route] {
        let view = ReloadView(store: store, isAllowed: settings.allowsLifecycle, browsers: browsers, logger: logger)
        return [
            settings.route(.post, "/-/reload", "reload", .waiting(view.answer)),
            settings.route(.put, "/-/reload", "reload", .waiting(view.answer)),
            settings.route(
                .get,
                Self.path,
                "config",
                .immediate { [store] _ in
                    .bytes(Array(store.current.yaml.utf8), contentType: "text/plain; charset=utf-8")
                }
            ),
        ]
    }
}
