import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again on SIGHUP and, where that is on, when the file has changed.
struct ReloadService: Service {
    let store: ConfigurationStore
    /// How often to look at the file; nil for never.
    let interval: Duration?
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in signals.cancelOnGracefulShutdown() { store.reload(because: "SIGHUP", logger) }
            }
            if let interval {
                group.addTask { await watch(every: interval) }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func watch(every interval: Duration) async {
        // Cancelled with the group when the signals end, which a graceful shutdown makes them do.
        while (try? await Task.sleep(for: interval)) != nil {
            if store.hasChanged { store.reload(because: "the file changed", logger) }
        }
    }
}
