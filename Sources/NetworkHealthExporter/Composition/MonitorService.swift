import Logging
import NetworkHealth
import NetworkPath
import ServiceLifecycle

/// Runs the monitor core, and logs each transition.
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
        var last: HealthState?
        for await state in monitor.changes().cancelOnGracefulShutdown() {
            defer { last = state }
            guard let transition = Transition(from: last, to: state) else { continue }
            let fields = transition.known.map { ($0.name, Logger.MetadataValue.string($0.value)) }
            logger.info(
                "\(StatusLine.text(transition, state))",
                metadata: Logger.Metadata(fields) { value, _ in value }
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
