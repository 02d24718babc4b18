package import Posix

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
