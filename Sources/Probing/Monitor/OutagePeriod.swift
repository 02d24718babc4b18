import Statistics

/// The ongoing outage, else the last one.
struct LastOutage: Sendable, Equatable {
    private var period: OutagePeriod?

    /// nil: there is none now.
    var ongoing: OutagePeriod? { period.flatMap { $0.end == nil ? $0 : nil } }

    /// - Parameter outage: nil: there was none yet.
    /// - Returns: what is to be left out of windows now; nil: nothing new.
    mutating func change(to outage: OutagePeriod?) -> OutagePeriod? {
        guard let outage, outage != period else { return nil }
        period = outage
        return outage
    }
}

/// An outage of the network: what is measured in it says nothing about the network that works.
package struct OutagePeriod: Sendable, Equatable {
    /// When its first evidence arrived.
    package var since: SuspendingClock.Instant
    /// nil while it lasts.
    package var end: SuspendingClock.Instant?
    /// Whether the router still answers, so that hosts of the local network can be reached.
    package var isBeyondRouter: Bool

    /// A network fails before its first evidence arrives, the longest interval between two checks before at most: the probes
    /// of a target that were lost in a row until then were lost in the outage.
    static let longestSilence = Duration.seconds(60)

    package init(since: SuspendingClock.Instant, end: SuspendingClock.Instant? = nil, isBeyondRouter: Bool) {
        (self.since, self.end, self.isBeyondRouter) = (since, end, isBeyondRouter)
    }

    func affects(_ report: TargetReport) -> Bool { !isBeyondRouter || report.countsForNetwork }

    /// Leaves out of a window what was measured in this time.
    ///
    /// - Parameters:
    ///   - window: has times by the clock that counts suspend.
    ///   - now: by that clock.
    ///   - awake: the same instant, by the clock of the outage.
    func leaveOut(
        of window: inout OutcomeWindow,
        at now: OutcomeWindow.Instant,
        awake: SuspendingClock.Instant
    ) {
        let start = now - since.duration(to: awake)
        window.leaveOut(
            from: start,
            to: end.map { now - $0.duration(to: awake) },
            andLossesSince: start - Self.longestSilence
        )
    }
}
