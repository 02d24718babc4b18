/// Time in which this process did not run though the clock did, so that nothing was observed.
///
/// It was stopped (SIGSTOP), its container was paused, or it got no processor. A suspend is none: CLOCK_MONOTONIC stands still then.
package struct ObservationGap: Sendable, Equatable {
    /// When the loop that observes should have run again.
    package var start: SuspendingClock.Instant
    /// When it ran again.
    package var end: SuspendingClock.Instant

    /// A shorter delay is that of a busy machine.
    package static let tolerance = Duration.seconds(5)

    /// nil where the loop is not late.
    ///
    /// - Parameters:
    ///   - due: when the loop should have run at the latest.
    ///   - now: when it runs.
    package init?(due: SuspendingClock.Instant, now: SuspendingClock.Instant) {
        guard due.duration(to: now) > Self.tolerance else { return nil }
        (start, end) = (due, now)
    }
}
