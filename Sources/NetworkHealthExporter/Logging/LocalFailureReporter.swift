import Coordination
import Logging
import Posix

/// Logs probes of one kind that failed at a limit of this machine: one line a minute at most.
///
/// The line names the last error and no remedy: files, ports, memory and lookups have limits of their own.
final class LocalFailureReporter: Sendable {
    private let message: Logger.Message
    private let logger: Logger
    private let log = Locked(LogThrottle())
    private let stopwatch = Stopwatch(.suspending)

    /// - Parameters:
    ///   - message: what failed, and what that does not mean.
    ///   - logger: receives the lines.
    init(_ message: Logger.Message, logger: Logger) { (self.message, self.logger) = (message, logger) }

    /// Counts one failure; `error` describes it.
    func failed(_ error: String) {
        guard let count = log.withLock({ $0.failed(at: stopwatch.elapsed) }) else { return }
        logger.warning(
            message,
            metadata: ["count": "\(count)", "last": "\(error)", "max_fds": "\(DescriptorReserve().limit)"]
        )
    }
}
