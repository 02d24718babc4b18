import Locking
import Logging
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// Has the targets probed, over the path of the moment.
struct TargetService: Service {
    let targets: TargetMonitor
    let engine: ProbeEngine
    let monitor: HealthMonitor

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await name in engine.lateReplies { targets.lateReply(of: name) } }
                group.addTask { await followPath() }
                group.addTask { await probeWithoutPath() }
                group.addTask { await targets.run() }
            }
        }
    }

    /// Where the kernel cannot be read there is no first path to wait for.
    private func probeWithoutPath() async {
        for await failure in monitor.pathMonitor.failures() where failure != nil && monitor.current == nil {
            targets.contextChanged(ProbeContext(), isNewUplink: false)
        }
    }

    private func followPath() async {
        var uplink: Uplink?
        for await state in monitor.changes() {
            let new = Uplink(state.path)
            // Windows hold measurements of one uplink; while there is none, those of the last one stand.
            let isNew = uplink != nil && new != nil && new != uplink
            targets.contextChanged(ProbeContext(state.path), isNewUplink: isNew)
            uplink = new ?? uplink
        }
    }
}
