import Probing
import ServiceLifecycle

/// Watches the traffic of others, which costs nothing.
struct PassiveService: Service {
    let passive: PassiveObserver

    func run() async throws {
        await cancelWhenGracefulShutdown { await passive.run() }
    }
}
