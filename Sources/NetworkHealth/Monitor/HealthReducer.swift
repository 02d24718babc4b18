package import FoundationEssentials
package import NetworkPath

/// Turns path updates into the state and its account; pure, with the time handed in.
package struct HealthReducer: Sendable {
    /// nil before the first update.
    package private(set) var account: HealthAccount?
    private var status: NetworkStatus?

    package init() {}

    /// The state after `update`.
    package mutating func apply(_ update: PathUpdate, at now: SuspendingClock.Instant, date: Date) -> HealthState {
        let state = HealthState(path: update.path, timestamp: date)
        var account = self.account ?? HealthAccount(outages: OutageTracker(startedAt: now))
        account.deliverDelay.observe(update.publishedAt.duration(to: now))
        if state.isOnline {
            account.outages.finished(at: now)
        } else {
            account.outages.began(OutageCause(update), since: update.evidenceAt)
        }
        if let status, status != state.status { account.lastTransition = date }
        status = state.status
        self.account = account
        return state
    }
}

/// What is counted beside the state.
package struct HealthAccount: Sendable, Equatable {
    package var outages: OutageTracker
    /// From a path's publication to its being the state.
    package var deliverDelay = DurationHistogram(bounds: PathStatistics.delayBounds)
    /// When the status last changed; nil before the first change.
    package var lastTransition: Date?
}

extension OutageCause {
    /// Before the internet is asked there are two: the link itself, or the way over it.
    init(_ update: PathUpdate) {
        self = update.downCause == .route || update.downCause == nil ? .route : .link
    }
}

extension NetworkSnapshot {
    /// Whether anything but the time is different.
    func differs(from other: NetworkSnapshot?) -> Bool {
        guard let other else { return true }
        return quality != other.quality || connectionType != other.connectionType || isExpensive != other.isExpensive
            || isConstrained != other.isConstrained || interfaceName != other.interfaceName
            || downloadSpeedMbps != other.downloadSpeedMbps || uploadSpeedMbps != other.uploadSpeedMbps
    }
}
