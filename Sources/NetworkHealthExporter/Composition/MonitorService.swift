import Logging
import NetworkHealth
import NetworkPath
import ServiceLifecycle

/// Runs the monitor core, and logs each change of the status.
struct MonitorService: Service {
    let monitor: HealthMonitor
    let logger: Logger

    func run() async throws {
        try monitor.start()
        defer { monitor.stop() }
        var last: NetworkStatus?
        for await state in monitor.changes().cancelOnGracefulShutdown() where state.status != last {
            last = state.status
            logger.info(
                "\(StatusLine.text(state))",
                metadata: ["status": "\(state.status.rawValue)", "device": "\(state.path.interface?.name ?? "")"]
            )
        }
    }
}
