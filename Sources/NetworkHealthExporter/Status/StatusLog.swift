import Logging
import NetworkHealth
import NetworkPath
import ServiceLifecycle

/// Logs each transition, and whether the kernel can be read.
struct StatusLog: Service {
    let host: HostMonitor
    /// Whether the exporter of the host is followed.
    let followsHost: Bool
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await logTransitions() }
                // While the kernel cannot be read there is no state, and no metric that shows why.
                group.addTask { await EvaluationLog(logger).follow(host.path.failures()) }
            }
        }
    }

    private func logTransitions() async {
        var last: HealthState?
        var isCostLogged = false
        for await state in host.health.changes() {
            defer { last = state }
            // On a host it is known as soon as NetworkManager has answered.
            if !isCostLogged, state.status.isConnected, state.path.isCostKnown || state.path.viewpoint == .container {
                isCostLogged = true
                if let advice = StatusLine.costAdvice(state.path, followsHost: followsHost) { logger.info("\(advice)") }
            }
            guard let transition = Transition(from: last, to: state) else { continue }
            let fields = transition.known.map { ($0.name, Logger.MetadataValue.string($0.value)) }
            logger.info(
                "\(StatusLine.text(transition, state))",
                metadata: Logger.Metadata(fields) { value, _ in value }
            )
        }
    }
}
