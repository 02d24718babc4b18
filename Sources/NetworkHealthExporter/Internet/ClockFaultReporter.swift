import Coordination
import Logging
import Statistics

/// Logs that this host's clock is the reason why certificates are not trusted: one line an hour at most.
final class ClockFaultReporter: Sendable {
    private let logger: Logger
    private let log = Locked(LogThrottle(interval: .seconds(3600)))
    private let stopwatch = Stopwatch(.suspending)

    init(logger: Logger) { self.logger = logger }

    /// - Parameter skew: this host's clock minus that of a server.
    func found(_ skew: Duration) {
        guard log.withLock({ $0.failed(at: stopwatch.elapsed) }) != nil else { return }
        logger.warning(
            "Certificates are not valid by the clock of this host, which differs from HTTP's Date; set the clock",
            metadata: ["clock_skew_seconds": "\((skew / .seconds(1)).rounded(toPlaces: 1))"]
        )
    }
}
