import Coordination
import NetworkHealth
import NetworkPath
import Probing

extension HostFollower {
    /// What is known of the host and of the connection to its exporter.
    struct State {
        var host = FollowedHost()
        /// When the stream has shown a sign of life.
        var lastByte = ContinuousClock.now
        /// Whether this connection has brought the newest report: bytes of another one, such as those of an error, are no sign of life.
        var isFollowed = false
        /// The newest path; nil before the first.
        var path: InternetPath?
        /// Whether verdicts are expected: online is unknown until the first.
        var isAttached = false
        /// Why it cannot be followed; nil: it can, or no reason is known.
        var complaint: String?
        /// The kinds of reasons that were logged since it could be followed.
        var logged: Set<String> = []
        /// What follows from the changes, in their order.
        var outbox = Outbox()

        /// Adopts what has changed from one report to the next; nil: there is none.
        mutating func adopt(_ report: HostReport?, instead last: HostReport?, by host: HostMonitor) {
            if report?.path != last?.path { outbox.append { host.path.adopt(report?.path) } }
            if report?.quality != last?.quality { outbox.append { host.health.learn { $0.host = report?.quality } } }
            reportInternet(to: host, at: .now)
        }

        /// Reports the host's internet as that of the path; called for each path and each report.
        mutating func reportInternet(to monitor: HostMonitor, at now: SuspendingClock.Instant) {
            guard let path, let verdict = host.verdict(on: path, at: now) else { return }
            outbox.append { monitor.health.receive(verdict) }
        }
    }
}
