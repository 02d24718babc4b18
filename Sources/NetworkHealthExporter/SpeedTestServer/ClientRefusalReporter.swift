import Coordination
import Logging
import SpeedTestCore

/// Logs which clients the embedded speed-test server refuses: for each address one line a minute at most.
final class ClientRefusalReporter: Sendable {
    private let logger: Logger
    private let log = Locked(ClientRefusalLog())
    private let stopwatch = Stopwatch(.suspending)

    init(logger: Logger) { self.logger = logger }

    /// Counts a refusal; `client` is the address, empty on a Unix socket.
    func refused(_ refusal: ServerRefusal, _ client: String) {
        guard let count = log.withLock({ $0.refused(client, at: stopwatch.elapsed) }) else { return }
        logger.info(
            "The speed-test server refused a client: \(refusal.message)",
            metadata: [
                "address": client.isEmpty ? "unix socket" : "\(client)", "count": "\(count)",
                "reason": "\(refusal.reason.rawValue)",
            ]
        )
    }
}

/// When to log a refused client: the first refusal at once, then at most once a minute.
struct ClientRefusalLog: Sendable {
    /// Addresses in a minute; further ones are not logged, so that a scan of many addresses does not fill the log.
    static let limit = 64
    private static let interval = Duration.seconds(60)

    private var clients: [String: (loggedAt: Duration, count: UInt64)] = [:]

    init() {}

    /// Counts one refusal; `now` is the time since any fixed moment.
    ///
    /// - Returns: the number of refusals since the client's last line, when the next one is due; else nil.
    mutating func refused(_ client: String, at now: Duration) -> UInt64? {
        if let (loggedAt, count) = clients[client] {
            guard now - loggedAt >= Self.interval else {
                clients[client] = (loggedAt, count + 1)
                return nil
            }
            clients[client] = (now, 0)
            return count + 1
        }
        if clients.count >= Self.limit { clients = clients.filter { now - $1.loggedAt < Self.interval } }
        guard clients.count < Self.limit else { return nil }
        clients[client] = (now, 0)
        return 1
    }
}
