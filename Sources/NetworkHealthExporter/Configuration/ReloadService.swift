import Coordination
import Logging
import Posix
import ServiceLifecycle

/// Reloads the configuration on SIGHUP and, with auto-reload, when the file has changed.
struct ReloadService: Service {
    let store: ConfigurationStore
    /// One element for each SIGHUP.
    let hangups: AsyncStream<Void>
    /// How often to check the file; nil: never.
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

    /// Waits until a writer has finished.
    private func waitForWriter(_ changed: ConfigurationSources, until signal: LoopSignal) {
        var last = changed
        while !signal.isStopped {
            signal.wait(upTo: Self.quiet)
            guard let now = store.changedSources, now != last else { return }
            last = now
        }
    }

    /// How long a file must stay unchanged.
    private static let quiet = Duration.milliseconds(100)
}

/// Watches the files that the configuration names: those of `targets_files`, and `path.expensive_file`.
struct FileWatchService: Service {
    let store: ConfigurationStore
    let logger: Logger
    var timings = FileWatch.Timings()

    func run() async throws {
        // The last content of the file.
        let last = Locked<ExpensiveFile.Content?>(nil)
        let watch = try FileWatch(
            patterns: { store.watchedPatterns },
            timings: timings,
            onChange: {
                applyTargetsFiles()
                applyExpensiveFile(last)
            }
        )
        store.onAttempt { watch.refresh() }
        try await cancelWhenGracefulShutdown { try await watch.run() }
    }

    private func applyTargetsFiles() {
        guard store.haveTargetsFilesChanged else { return }
        store.reload(because: "a file of targets_files changed", logger, ConfigurationStore.reloadTargetsFiles)
    }

    private func applyExpensiveFile(_ last: Locked<ExpensiveFile.Content?>) {
        let content = store.current.path.expensiveFile.map { ExpensiveFile(path: $0).read() }
        let isChanged = last.withLock { last in
            defer { last = content }
            return last != content
        }
        guard isChanged else { return }
        switch content {
        case .verdict(let isExpensive):
            logger.info("path.expensive_file reports the path as \(isExpensive ? "" : "not ")expensive")
        case .unusable(let reason): logger.warning("path.expensive_file has no verdict: \(reason)")
        case nil: break
        }
        store.reapply()
    }
}

extension ConfigurationStore {
    /// Reloads the configuration with `reload`, and logs the result.
    ///
    /// Blocks while files are read: never call it on the cooperative pool.
    ///
    /// - Returns: the error; nil when it was applied.
    @discardableResult
    func reload(
        because reason: String,
        _ logger: Logger,
        _ reload: (ConfigurationStore) -> () throws -> Void = ConfigurationStore.reload
    ) -> (any Error)? {
        do {
            try reload(self)()
            warnOfEmptyFiles(logger)
            logger.info("Configuration reloaded", metadata: ["reason": "\(reason)"])
            return nil
        } catch {
            for line in error.lines {
                logger.error("Configuration refused, the old one stays: \(line)", metadata: ["reason": "\(reason)"])
            }
            return error
        }
    }

    /// Reloads on a thread of its own.
    @discardableResult
    func reloadOnThread(because reason: String, _ logger: Logger) async -> (any Error)? {
        let refusal = Locked<(any Error)?>(nil)
        do throws(SystemError) {
            try await LoopThread.run(name: "reload") { _ in
                let error = self.reload(because: reason, logger)
                refusal.withLock { $0 = error }
            }
        } catch {
            logger.error("Configuration not read, the old one stays: \(error)", metadata: ["reason": "\(reason)"])
            return error
        }
        return refusal.withLock { $0 }
    }

    /// Warns of files without content: valid, but seldom intended.
    func warnOfEmptyFiles(_ logger: Logger) {
        for file in emptyFiles { logger.warning("\(file): empty, so that it sets nothing") }
    }
}

extension Error {
    /// The description by lines: each error of a configuration is one line.
    var lines: [Substring] { "\(self)".split(separator: "\n") }
}
