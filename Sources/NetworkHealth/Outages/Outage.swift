/// One confirmed outage.
package struct Outage: Sendable, Equatable {
    package var cause: OutageCause
    /// When its first evidence arrived; the clock excludes suspend.
    package var since: SuspendingClock.Instant
    /// How long it took; nil while it goes on.
    package var length: Duration?

    package var isOngoing: Bool { length == nil }

    package init(_ cause: OutageCause, since: SuspendingClock.Instant, length: Duration? = nil) {
        (self.cause, self.since, self.length) = (cause, since, length)
    }
}
