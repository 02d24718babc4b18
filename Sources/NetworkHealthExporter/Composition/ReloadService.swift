import Logging
import Posix
import ServiceLifecycle

/// Reads the configuration again on SIGHUP and, where that is on, when the file has changed.
struct ReloadService: Service {
    let store: ConfigurationStore
    /// One element for each SIGHUP.
    let hangups: AsyncStream<Void>
    /// How often to look at the file; nil for never.
    let interval: Duration?
    let logger: Logger

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in hangups.cancelOnGracefulShutdown() {
                    await store.reloadOnThread(because: "SIGHUP", logger)
                }
            }
            if let interval {
                group.addTask {
                    try await LoopThread.run(name: "auto-reload") { signal in watch(every: interval, until: signal) }
                }
            }
            // The signals end with a graceful shutdown.
            try await group.next()
            group.cancelAll()
        }
    }

    private func watch(every interval: Duration, until signal: LoopSignal) {
        while !signal.isStopped {
            signal.wait(upTo: interval)
            guard !signal.isStopped, let changed = store.changedSources else { continue }
            waitForWriter(changed, until: signal)
            if signal.isStopped { return }
            store.reload(because: "the file changed", logger)
        }
    }

    /// The file may be in the middle of its writing.
    private func waitForWriter(_ changed: ConfigurationSources, until signal: LoopSignal) {
        var last = changed
        while !signal.isStopped {
            signal.wait(upTo: Self.quiet)
            guard let now = store.changedSources, now != last else { return }
            last = now
        }
    }

    /// How long a file has to stay as it is.
    private static let quiet = Duration.milliseconds(100)
}
