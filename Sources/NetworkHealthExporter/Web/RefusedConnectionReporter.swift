import Coordination
import Logging
import MicroHTTP
import Posix

/// Logs that a limit refused or closed connections of HTTP clients: one line a minute at most.
final class RefusedConnectionReporter: Sendable {
    private struct State {
        var log = LogThrottle()
        /// Since the last line.
        var counts: [Server.Refusal: UInt64] = [:]
    }

    private let logger: Logger
    private let state = Locked(State())
    private let stopwatch = Stopwatch(.suspending)

    init(logger: Logger) { self.logger = logger }

    /// Counts one connection.
    func refused(_ refusal: Server.Refusal) {
        let counts: [Server.Refusal: UInt64]? = state.withLock { state in
            state.counts[refusal, default: 0] += 1
            guard state.log.failed(at: stopwatch.elapsed) != nil else { return nil }
            defer { state.counts = [:] }
            return state.counts
        }
        guard let counts else { return }
        let metadata = counts.map { (refusal, count) in (refusal.rawValue, Logger.MetadataValue.string("\(count)")) }
        logger.warning(
            "The web server is at a limit of its connections and refused or closed some",
            metadata: Logger.Metadata(uniqueKeysWithValues: metadata)
        )
    }
}
