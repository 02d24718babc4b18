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
            guard let changed = store.changedSources else { continue }
            await waitForWriter(changed)
            store.reload(because: "the file changed", logger)
        }
    }

    /// Whoever writes the file may be in the middle of it, and an empty file would be a good one.
    private func waitForWriter(_ changed: ConfigurationSources) async {
        var last = changed
        while (try? await Task.sleep(for: Self.quiet)) != nil, let now = store.changedSources, now != last {
            last = now
        }
    }

    /// How long a file has to stay as it is.
    private static let quiet = Duration.milliseconds(100)
}
