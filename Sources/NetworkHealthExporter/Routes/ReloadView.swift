import Logging
import MicroHTTP

/// `POST /-/reload`: reads the configuration file again.
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
        do {
            try store.reload()
            logger.info("Configuration reloaded", metadata: ["reason": "HTTP"])
            return .text("Reloaded\n")
        } catch {
            logger.error("Configuration refused, the old one stays: \(error)", metadata: ["reason": "HTTP"])
            return .text("\(error)\n", status: 500)
        }
    }
}
