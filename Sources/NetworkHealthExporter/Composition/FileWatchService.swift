import Locking
import Logging
import ServiceLifecycle

/// Watches the files that the configuration names: those of `targets_files`, and `path.expensive_file`.
struct FileWatchService: Service {
    let store: ConfigurationStore
    let logger: Logger
    var timings = FileWatch.Timings()

    func run() async throws {
        // What the file of the cost said last.
        let told = Locked<ExpensiveFile.Content?>(nil)
        let watch = try FileWatch(
            patterns: { store.watchedPatterns },
            timings: timings,
            onChange: {
                applyTargetsFiles()
                applyExpensiveFile(told)
            }
        )
        store.onAttempt { watch.refresh() }
        try watch.start()
        defer { watch.stop() }
        try? await gracefulShutdown()
    }

    private func applyTargetsFiles() {
        guard store.haveTargetsFilesChanged else { return }
        store.reload(because: "a file of targets_files changed", logger, ConfigurationStore.reloadTargetsFiles)
    }

    private func applyExpensiveFile(_ told: Locked<ExpensiveFile.Content?>) {
        let content = store.current.path.expensiveFile.map { ExpensiveFile(path: $0).read() }
        let isChanged = told.withLock { last in
            defer { last = content }
            return last != content
        }
        guard isChanged else { return }
        switch content {
        case .verdict(let isExpensive):
            logger.info("path.expensive_file says that the path is \(isExpensive ? "" : "not ")expensive")
        case .unusable(let reason): logger.warning("path.expensive_file says nothing: \(reason)")
        case nil: break
        }
        store.reapply()
    }
}
