import Logging
import NetworkHealth
import NetworkPath
import ServiceLifecycle

/// Runs the monitor core, and logs each change of what a person would say of it.
struct MonitorService: Service {
    let monitor: HealthMonitor
    let logger: Logger

    func run() async throws {
        try monitor.start()
        defer { monitor.stop() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await logStatus() }
            group.addTask { await logFailures() }
            await group.waitForAll()
        }
    }

    private func logStatus() async {
        var last: String?
        for await state in monitor.changes().cancelOnGracefulShutdown() {
            let line = StatusLine.text(state)
            guard line != last else { continue }
            last = line
            logger.info(
                "\(line)",
                metadata: ["status": "\(state.status.rawValue)", "device": "\(state.path.interface?.name ?? "")"]
            )
        }
    }

    /// A kernel that cannot be read is nothing that a scrape could tell: the operator has to let it.
    private func logFailures() async {
        var hasFailed = false
        for await failure in monitor.pathMonitor.failures().cancelOnGracefulShutdown() {
            if let failure {
                logger.error("The kernel's network state cannot be read, trying again: \(failure)")
                hasFailed = true
            } else if hasFailed {
                logger.info("The kernel's network state can be read again")
                hasFailed = false
            }
        }
    }
}
