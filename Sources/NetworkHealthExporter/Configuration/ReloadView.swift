import Logging
import MicroHTTP

/// `POST /-/reload`: reloads the configuration.
struct ReloadView: Sendable {
    let store: ConfigurationStore
    let isAllowed: Bool
    let browsers: BrowserGuard
    let logger: Logger

    @Sendable func answer(_ request: Request) async -> Response {
        guard isAllowed else {
            return .text("Reloading over HTTP is off: start with --web.enable-lifecycle\n", status: 403)
        }
        if let refusal = browsers.refusal(ofChange: request) { return .text("Refused: \(refusal)\n", status: 403) }
        if let error = await store.reloadOnThread(because: "HTTP", logger) { return .text("\(error)\n", status: 500) }
        return .text("Reloaded\n")
    }
}
