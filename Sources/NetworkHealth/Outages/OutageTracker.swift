package import Statistics

/// Counts outages and the time spent in them.
///
/// An outage counts once, with the cause known when it was confirmed, from its first evidence on; its time grows while
/// it lasts. All instants exclude suspend: time asleep is neither up nor down.
package struct OutageTracker: Sendable, Equatable {
    /// In seconds: from a blip to a day.
    package static let durationBounds: [Double] = [1, 5, 15, 30, 60, 300, 900, 3600, 14400, 86400]

    private let startedAt: SuspendingClock.Instant
    /// Before this no outage is dated back: the start, then the end of the last one.
    private var earliest: SuspendingClock.Instant
    private var ended: [OutageCause: Duration] = [:]
    private var counts: [OutageCause: UInt64] = [:]

    /// How long the outages that ended took, in seconds.
    package private(set) var durations = DurationHistogram(bounds: durationBounds)
    /// The outage that goes on, else the last one that ended; nil before the first.
    package private(set) var latest: Outage?

    /// - Parameter startedAt: when the first complete state was known; the clock of `monitored(at:)`.
    package init(startedAt: SuspendingClock.Instant) {
        self.startedAt = startedAt
        earliest = startedAt
    }

    /// The outage of this moment, if there is one.
    package var ongoing: Outage? { latest.flatMap { $0.isOngoing ? $0 : nil } }

    /// The network is confirmed to be gone since `evidence`; a second word about the same outage changes nothing.
    package mutating func began(_ cause: OutageCause, since evidence: SuspendingClock.Instant) {
        guard ongoing == nil else { return }
        latest = Outage(cause, since: max(evidence, earliest))
        counts[cause, default: 0] += 1
    }

    /// The network is confirmed to be back.
    package mutating func finished(at now: SuspendingClock.Instant) {
        guard let outage = ongoing else { return }
        let length = max(.zero, outage.since.duration(to: now))
        ended[outage.cause, default: .zero] += length
        durations.observe(length)
        earliest = max(earliest, now)
        latest?.length = length
    }

    /// How many outages were confirmed.
    package func count(_ cause: OutageCause) -> UInt64 { counts[cause, default: 0] }

    /// The time spent offline, the outage that goes on included.
    package func offline(_ cause: OutageCause, at now: SuspendingClock.Instant) -> Duration {
        let past = ended[cause, default: .zero]
        guard let ongoing, ongoing.cause == cause else { return past }
        return past + max(.zero, ongoing.since.duration(to: now))
    }

    /// The time observed so far: the denominator of uptime.
    package func monitored(at now: SuspendingClock.Instant) -> Duration { max(.zero, startedAt.duration(to: now)) }
}
