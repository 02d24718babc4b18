import Locking
import Logging
import Posix

extension ConfigurationStore {
    /// Reads the configuration again, as `reload` does it, and logs how that went.
    ///
    /// Blocks while files are read: never call it on the cooperative pool.
    ///
    /// - Returns: why it was refused; nil where it was not.
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

    /// The same on a thread of its own.
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

    /// A file without a value is taken when it was so from the start, and is seldom meant.
    func warnOfEmptyFiles(_ logger: Logger) {
        for file in emptyFiles { logger.warning("\(file): empty, so that it sets nothing") }
    }
}

extension Error {
    /// What it says; the errors of a configuration take a line each.
    var lines: [Substring] { "\(self)".split(separator: "\n") }
}
