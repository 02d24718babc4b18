import Logging
import MicroHTTP

/// `POST /-/reload`: reloads the configuration.
struct ReloadView: Sendable {
    let store: ConfigurationStore
    let isAllowed: Bool
    let logger: Logger

    @Sendable func answer(_ request: Request) async -> Response {
        guard isAllowed else {
            return .text("Reloading over HTTP is off: start with --web.enable-lifecycle\n", status: 403)
        }
        guard !RequestOrigin.isForeign(request) else {
            return .text("Refused: the request comes from another site\n", status: 403)
        }
        if let error = await store.reloadOnThread(because: "HTTP", logger) { return .text("\(error)\n", status: 500) }
        return .text("Reloaded\n")
    }
}
