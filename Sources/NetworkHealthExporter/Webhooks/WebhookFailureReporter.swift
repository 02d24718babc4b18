import Coordination
import HTTPTransfer
import Logging
import OfflineQueue
import Posix

/// Logs why webhooks are not delivered: one line a minute at most.
///
/// The line names the host of the receiver alone: the rest of a URL is often a credential.
final class WebhookFailureReporter: Sendable {
    private let logger: Logger
    private let log = Locked(LogThrottle())
    private let stopwatch = Stopwatch(.suspending)

    init(logger: Logger) { self.logger = logger }

    /// Counts one try that failed, for this reason.
    func failed(_ request: RetryableRequest, _ reason: String) {
        guard let count = log.withLock({ $0.failed(at: stopwatch.elapsed) }) else { return }
        let host = WebURL(request.endpoint)?.host ?? "unknown"
        logger.warning(
            "A webhook was not delivered; what may succeed later is tried again",
            metadata: ["count": "\(count)", "last": "\(reason)", "receiver": "\(host)"]
        )
    }
}
