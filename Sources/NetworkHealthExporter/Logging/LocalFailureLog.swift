import Coordination
import Logging
import Posix

/// Logs probes of one kind that failed at a limit of this machine: one line a minute at most.
///
/// The line names the last error and no remedy: files, ports, memory and lookups have limits of their own.
final class LocalFailureReporter: Sendable {
    private let message: Logger.Message
    private let logger: Logger
    private let log = Locked(LocalFailureLog())
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

/// When to log a failure that repeats: the first at once, then at most once in each interval.
struct LocalFailureLog: Sendable {
    let interval: Duration
    private var count: UInt64 = 0
    private var loggedAt: Duration?

    init(interval: Duration = .seconds(60)) { self.interval = interval }

    /// Counts one failure; `now` is the time since any fixed moment.
    ///
    /// - Returns: the number of failures since the last line, when the next one is due; else nil.
    mutating func failed(at now: Duration) -> UInt64? {
        count += 1
        if let loggedAt, now - loggedAt < interval { return nil }
        defer { (count, loggedAt) = (0, now) }
        return count
    }
}
