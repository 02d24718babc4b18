package import Posix
package import Statistics

/// What the traffic of others tells about the internet, since the dump before.
package struct PassiveReport: Sendable, Equatable {
    /// When the sockets were dumped.
    package var at: SuspendingClock.Instant
    /// Families in which something came from the internet: it is there.
    package var receivedFamilies: Set<AddressFamily> = []
    /// Families in which much is sent, nearly all of it again, and nothing comes back.
    package var stalledFamilies: Set<AddressFamily> = []
    /// Of the segments sent, how many were sent again; nil where there were too few to say.
    package var retransmittedShare: Double?
    /// Over the flows that had an answer; nil without any.
    package var medianRTT: Duration?

    package init(at: SuspendingClock.Instant) {
        self.at = at
    }
}

/// What an observer has counted since it was made.
package struct PassiveStatistics: Sendable, Equatable {
    /// Round trips of live flows, as the kernel measures them; a flow counts once in each dump after an answer.
    package var rtt = DurationHistogram(bounds: rttBounds)
    package var dumps: UInt64 = 0
    /// Of the latest dump that saw answers.
    package var medianRTT: Duration?

    package init() {}

    /// In seconds: from a neighbouring host to a satellite with a queue.
    package static let rttBounds = [
        0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5,
    ]
}
