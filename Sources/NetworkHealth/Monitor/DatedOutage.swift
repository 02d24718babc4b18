package import FoundationEssentials

/// An outage with its times by the wall clock, in seconds since 1970 and whole milliseconds.
///
/// The time between start and end is the outage's length, which excludes suspend: a clock that is set during an outage,
/// and a host that sleeps in one, do not change it. Its `Transition` gives the same times.
package struct DatedOutage: Sendable, Equatable {
    package var cause: OutageCause
    /// The last place that was found while it lasted.
    package var location: FaultLocation
    /// When its first evidence arrived.
    package var start: Double
    /// nil while it is ongoing.
    package var end: Double?

    /// An outage that has just begun, or whose end was just confirmed.
    ///
    /// - Parameters:
    ///   - outage: the outage.
    ///   - now: the current time, by the clock of `Outage.since`.
    ///   - date: the same time, by the wall clock.
    package init(_ outage: Outage, at now: SuspendingClock.Instant, date: Date) {
        let length = outage.length ?? max(.zero, outage.since.duration(to: now))
        let confirmation = outage.end.map { max(.zero, $0.duration(to: now)) } ?? .zero
        self.init(
            outage.cause,
            outage.location,
            until: Transition.rounded(date.timeIntervalSince1970 - confirmation / .seconds(1)),
            seconds: Transition.rounded(length / .seconds(1))
        )
        if outage.isOngoing { end = nil }
    }

    /// The outage that `transition` ends; nil where it ends none, or one with an unknown cause.
    package init?(_ transition: Transition) {
        guard let cause = transition.outageCause.flatMap(OutageCause.init), let seconds = transition.outageSeconds
        else { return nil }
        let location = transition.outageLocation.flatMap(FaultLocation.init) ?? .unknown
        self.init(cause, location, until: transition.at, seconds: seconds)
    }

    /// One that has ended; times are in seconds.
    package init(_ cause: OutageCause, _ location: FaultLocation, until end: Double, seconds: Double) {
        (self.cause, self.location, start, self.end) = (cause, location, Transition.rounded(end - seconds), end)
    }
}

/// Time in which nothing was observed, with its times by the wall clock; see `ObservationGap`.
package struct DatedGap: Sendable, Equatable {
    /// In seconds since 1970 and whole milliseconds.
    package var start: Double
    package var end: Double
    package var length: Duration { .seconds(max(0, end - start)) }

    package init(start: Date, end: Date) {
        self.init(start: start.timeIntervalSince1970, end: end.timeIntervalSince1970)
    }

    /// In seconds since 1970.
    package init(start: Double, end: Double) {
        (self.start, self.end) = (Transition.rounded(start), Transition.rounded(end))
    }
}
