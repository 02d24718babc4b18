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

/// Whether this machine and this process have run all the time since the last look.
struct Presence {
    /// A jump of the clock that counts suspend means that the machine slept.
    private static let suspendJump = Duration.seconds(2)

    /// When the wait should have ended.
    var due = SuspendingClock.now
    private var timeAsleep = Self.timeAsleep

    func isBroken(at now: SuspendingClock.Instant) -> Bool {
        Self.timeAsleep - timeAsleep > Self.suspendJump || ObservationGap(due: due, now: now) != nil
    }

    mutating func restart() { timeAsleep = Self.timeAsleep }

    /// How long the machine has slept since it started: the clock that counts suspend minus the one that does not.
    private static var timeAsleep: Duration {
        let all = ContinuousClock().systemEpoch.duration(to: .now)
        let awake = SuspendingClock().systemEpoch.duration(to: .now)
        return all - awake
    }
}
