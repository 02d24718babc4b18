package import Posix
package import Statistics

/// The traffic of other programs with the internet since the last dump.
package struct PassiveReport: Sendable, Equatable {
    /// When the sockets were dumped.
    package var at: SuspendingClock.Instant
    /// Families in which segments were received from the internet: it is reachable.
    package var receivedFamilies: Set<AddressFamily> = []
    /// Families in which nearly all segments sent are retransmissions, and none are received.
    package var stalledFamilies: Set<AddressFamily> = []
    /// Families in which a connection sends again what is not answered, and none has received since: when it was sent first.
    package var failingSince: [AddressFamily: SuspendingClock.Instant] = [:]
    /// The share of retransmissions among the segments sent; nil: too few segments.
    package var retransmittedShare: Double?
    /// Over the flows that received segments; nil: none.
    package var medianRTT: Duration?

    package init(at: SuspendingClock.Instant) {
        self.at = at
    }
}

/// The statistics of an observer since it was created.
package struct PassiveStatistics: Sendable, Equatable {
    /// Round trips of live flows, as the kernel measures them; a flow counts once in each dump after an answer.
    package private(set) var rtt = DurationHistogram(bounds: rttBounds)
    package private(set) var dumps: UInt64 = 0
    /// Of each dump with received segments on this uplink: the median of its round trips.
    package private(set) var medians = OutcomeWindow()

    package init() {}

    /// Adds a dump.
    ///
    /// - Parameters:
    ///   - roundTrips: of the flows that had an answer.
    ///   - median: theirs; nil: there are none.
    ///   - now: when it was made.
    package mutating func add(_ roundTrips: [Duration], median: Duration?, at now: OutcomeWindow.Instant) {
        dumps += 1
        for roundTrip in roundTrips { rtt.observe(roundTrip) }
        if let median { medians.push(median, at: now) }
    }

    /// Forgets the medians: those of another uplink are not valid for this one.
    package mutating func restartWindow() { medians = OutcomeWindow() }

    /// In seconds: from a neighbouring host to a satellite with a queue.
    package static let rttBounds = [
        0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5,
    ]
}
