package import FoundationEssentials
package import NetworkPath
package import Probing
package import Statistics

/// Turns paths and verdicts about the internet into the state and its statistics; pure, with the time as a parameter.
package struct HealthReducer: Sendable {
    /// nil before the first update.
    package private(set) var state: HealthState?
    /// nil before the first update.
    package private(set) var statistics: HealthStatistics?
    /// Whether the internet is probed; where it is not, connected is online.
    package private(set) var expectsVerdict: Bool
    private var update: PathUpdate?
    /// The last verdict about the internet, or the one that follows from the path alone.
    private var verdict: InternetVerdict?
    private var history = QualityHistory()
    /// When this process should have run again at the latest; nil where that is not known.
    private var due: SuspendingClock.Instant?
    /// The last one of this run of the path monitor.
    private var gap: DatedGap?

    package init(expectsVerdict: Bool = false) { self.expectsVerdict = expectsVerdict }

    /// Clears the state after a stop; measurements stay.
    package mutating func forget() {
        let history = history
        self = HealthReducer(expectsVerdict: expectsVerdict)
        self.history = history
    }

    /// What was measured and observed on an uplink, in use or not.
    package func evidence(of uplink: Uplink) -> QualityEvidence { history.evidence(of: uplink) }

    /// Time until `due` is observed if this process runs then.
    package mutating func expectObservation(by due: SuspendingClock.Instant) { self.due = due }

    /// The states after time in which nothing was observed, in their order; empty where there was none.
    ///
    /// To be called before any change. The first one is of the begin of that time if there was an outage: whether that
    /// goes on is not known from then on. What was found about the internet during an outage is void.
    package mutating func missed(at now: SuspendingClock.Instant, date: Date) -> [HealthState] {
        guard let gap = due.flatMap({ ObservationGap(due: $0, now: now) }) else { return [] }
        due = now
        guard let update, var statistics else { return [] }
        let start = date - gap.start.duration(to: now) / .seconds(1)
        self.gap = DatedGap(start: start, end: date)
        let isOffline = statistics.outages.ongoing != nil
        statistics.outages.missed(gap)
        guard isOffline else { return [conclude(update, statistics, at: now, date: date)] }
        if verdict?.state.isConclusive == true {
            verdict = InternetVerdict(state: .unknown, evidenceAt: now, generation: update.generation)
        }
        let last = conclude(update, statistics, at: gap.start, date: start, isObserved: false)
        return [last, conclude(update, self.statistics ?? statistics, at: now, date: date)]
    }

    /// The state after `update`.
    package mutating func apply(_ update: PathUpdate, at now: SuspendingClock.Instant, date: Date) -> HealthState {
        var statistics = self.statistics ?? HealthStatistics(outages: OutageTracker(startedAt: now))
        statistics.deliverDelay.observe(update.publishedAt.duration(to: now))
        self.update = update
        verdict = expectsVerdict ? Self.verdict(verdict, on: update) : nil
        return conclude(update, statistics, at: now, date: date)
    }

    /// The state after `verdict`; nil when that changes nothing.
    ///
    /// Without a path no verdict counts, and a verdict about an earlier path does not apply to the one that came back.
    package mutating func apply(
        _ verdict: InternetVerdict,
        at now: SuspendingClock.Instant,
        date: Date
    ) -> HealthState? {
        guard let update, let statistics, expectsVerdict, update.path.status == .satisfied, verdict != self.verdict,
            verdict.state.isConclusive || verdict.isDoubt
        else { return nil }
        // A higher generation is from an earlier run of the path monitor, which counts from 1 again.
        guard verdict.generation >= self.verdict?.generation ?? 0, verdict.generation <= update.generation
        else { return nil }
        self.verdict = verdict
        return conclude(update, statistics, at: now, date: date)
    }

    /// The state after a change of the evidence about the uplinks, or of the time; nil when that changes nothing.
    package mutating func apply(
        at now: SuspendingClock.Instant,
        date: Date,
        _ change: (inout QualityHistory) -> Void = { _ in }
    ) -> HealthState? {
        change(&history)
        guard let update, let statistics, let state else { return nil }
        let evidence = history.evidence(of: Uplink(update.path))
        guard evidence != state.evidence || state.assessment(at: date) != state.assessment else { return nil }
        return conclude(update, statistics, at: now, date: date)
    }

    /// The state after the place of the outage that began then was found; nil when that changes nothing.
    package mutating func located(
        _ place: FaultLocation,
        since: SuspendingClock.Instant,
        date: Date
    ) -> HealthState? {
        guard var new = state, statistics?.outages.located(place, since: since) == true else { return nil }
        statistics?.lastOutage?.location = place
        (new.outage, new.datedOutage, new.timestamp) = (statistics?.outages.latest, statistics?.lastOutage, date)
        state = new
        return new
    }

    /// Whether to wait for verdicts from now on; the state that follows, nil when that changes nothing.
    package mutating func expectVerdicts(
        _ expects: Bool,
        at now: SuspendingClock.Instant,
        date: Date
    ) -> HealthState? {
        guard expects != expectsVerdict else { return nil }
        expectsVerdict = expects
        guard let update, let statistics else { return nil }
        verdict = expects ? Self.verdict(nil, on: update) : nil
        return conclude(update, statistics, at: now, date: date)
    }

    /// The verdict on a new path until the internet was probed there.
    ///
    /// While the path only changes, the last verdict stays. Without a path there is no internet; when it comes back, the
    /// internet is unknown until the first verdict of that generation.
    private static func verdict(_ last: InternetVerdict?, on update: PathUpdate) -> InternetVerdict? {
        func verdict(_ state: InternetState) -> InternetVerdict {
            InternetVerdict(state: state, evidenceAt: update.evidenceAt, generation: update.generation)
        }
        guard update.path.status == .satisfied else { return verdict(.noPath) }
        return last?.state == .noPath ? verdict(.unknown) : last
    }

    /// The state that follows, with its outage counted.
    private mutating func conclude(
        _ update: PathUpdate,
        _ statistics: HealthStatistics,
        at now: SuspendingClock.Instant,
        date: Date,
        isObserved: Bool = true
    ) -> HealthState {
        var new = HealthState(
            path: update.path,
            internet: verdict,
            expectsVerdict: expectsVerdict,
            isSettling: update.isSettling || !isObserved,
            evidence: history.evidence(of: Uplink(update.path)),
            timestamp: date
        )
        if new.isOnline == false {
            new.currentCause = new.status.isConnected ? verdict.flatMap(OutageCause.init) : OutageCause(update)
            // The link is back, and is getting its addresses: whether it gets a route is not known yet.
            let isConnecting = update.path.unsatisfiedReason == .connecting && new.currentCause == .route
            if isConnecting, let ongoing = statistics.outages.ongoing, ongoing.cause != .route {
                new.currentCause = nil
            }
        } else if let verdict, verdict.isDoubt {
            // Nothing new was found.
            new.currentCause = state?.currentCause
        }
        var statistics = statistics
        if new.isOnline == true {
            statistics.outages.finished(at: now, evidence: verdict?.recoveredAt, pathEvidence: update.evidenceAt)
        } else if let verdict, verdict.isRecovering || verdict.isDoubt {
            // Not known to last, either.
            statistics.outages.held(at: now)
        } else if !new.status.isConnected, !new.isSettling {
            statistics.outages.began(OutageCause(update), since: update.evidenceAt)
        } else if let verdict, let cause = OutageCause(verdict) {
            statistics.outages.began(cause, since: verdict.evidenceAt)
        }
        new.generation = update.generation
        new.gap = gap
        (new.outage, new.outageHeldSince) = (statistics.outages.latest, statistics.outages.heldSince)
        if let outage = new.outage, outage != self.statistics?.outages.latest {
            statistics.lastOutage = DatedOutage(outage, at: now, date: date)
        }
        new.datedOutage = statistics.lastOutage
        if let state {
            if let transition = Transition(from: state, to: new) {
                statistics.lastTransition = Date(timeIntervalSince1970: transition.at)
            }
            new.follow(state)
        }
        state = new
        self.statistics = statistics
        return new
    }
}

extension InternetVerdict {
    /// Whether the one who checks the internet says that its state is not known.
    ///
    /// The state of a new path is also unknown, before the first verdict.
    fileprivate var isDoubt: Bool { state == .unknown && (isHindered || isUnknownToHost) }
}

/// What is counted along with the state.
package struct HealthStatistics: Sendable, Equatable {
    package var outages: OutageTracker
    /// From a path's publication until it is in the state.
    package var deliverDelay = DurationHistogram(bounds: PathStatistics.delayBounds)
    /// When the last `Transition` was made; nil before the first change.
    package var lastTransition: Date?
    /// The ongoing outage, else the last one; nil before the first.
    package var lastOutage: DatedOutage?
}
