import Posix

/// The hysteresis of one family: the evidence needed to conclude that its internet went, changed or came back.
struct FamilyTracker: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// The current finding; nil before the first, which is adopted at once, and after rounds that could conclude nothing.
    private(set) var finding: InternetFinding?
    /// When the first evidence for its state arrived.
    private(set) var evidenceAt: Instant?
    /// When the first evidence arrived that it is offline, in whatever state since; nil while it is not.
    private(set) var downSince: Instant?
    /// Failed rounds of a family that is online.
    private(set) var suspicion: Suspicion?
    /// When the first evidence arrived that an outage is over, which no round has refuted yet.
    private(set) var aliveSince: Instant?
    /// Successive rounds of which a limit of this machine ended the checks.
    private(set) var hinderedRounds = 0
    /// A finding that was made once and must be made again.
    private var candidate: Candidate?
    private var proof: Proof?
    /// When a check last succeeded: a failure that began before is no news.
    private var provenAt: Instant?
    private var isUnresolved = false
    private var routineRounds = 0
    private var portalRounds = 0
    /// The start of the last round that checked this family.
    private var askedAt: Instant?
    /// When it was last checked, or proof made a check needless.
    private var checkedAt: Instant?
    /// The path has changed: lookups may have begun before it carried packets.
    private let isAfterChange: Bool

    struct Suspicion: Sendable {
        /// The start of the first failed round, the stall, or the first failed probe.
        var since: Instant
        /// Rounds that failed; a stall or a failed probe before them counts as one more.
        var rounds: Int
        var failures: Int
        /// Nothing answered: received segments contradict it.
        ///
        /// They do not contradict a portal, certificates that are not trusted, or names that do not resolve.
        var isSilence: Bool
    }

    private struct Candidate {
        let finding: InternetFinding
        let since: Instant
    }

    /// Other programs received segments from the internet in this time.
    private struct Proof {
        let since: Instant?
        let until: Instant
    }

    /// Failed rounds, the first one included, that make an outage.
    static let failuresNeeded = 3
    /// Successive rounds without a conclusion after which the last conclusion no longer holds.
    static let hinderedRoundsBelieved = 3
    /// Two rounds agree only if they began at least this far apart.
    static let agreementGap = Duration.seconds(1)
    /// The same for the end of an outage: it is looked for every 2 s, and has to be shown within 3 s.
    static let returnGap = Duration.milliseconds(500)
    /// After a shorter outage one good round is enough.
    static let shortOutage = Duration.seconds(30)
    /// Three rounds of 3 s and these are 11.5 s: what a busy machine adds stays within 12 s.
    static let suspectDelays: [Duration] = [.seconds(1), .milliseconds(1500)]
    /// At least this often the internet is checked, whatever proof there is.
    static let longestProof = Duration.seconds(300)
    /// After this many good rounds HTTPS is checked as well.
    static let httpsEvery = 10
    /// After this many rounds behind a portal all checks are made.
    static let allChecksEvery = 6

    init(isAfterChange: Bool = false) { self.isAfterChange = isAfterChange }

    var isOnline: Bool { finding?.isOnline == true }

    /// Whether the last conclusion no longer holds, since the rounds after it could conclude nothing.
    var isStale: Bool { hinderedRounds >= Self.hinderedRoundsBelieved }

    /// Whether the next round decides about something that was found.
    var isInDoubt: Bool { suspicion != nil || candidate != nil || aliveSince != nil }

    /// When the next round must follow; nil: after the ordinary interval.
    func recheck(at now: Instant) -> Instant? {
        // As soon as it can agree: rounds that other news start meanwhile do not defer it.
        if let candidate, candidate.finding.isOnline {
            return max(now, candidate.since.advanced(by: gap(before: candidate.finding)))
        }
        if candidate != nil || aliveSince != nil { return now.advanced(by: Self.agreementGap) }
        return suspicion.map {
            now.advanced(by: Self.suspectDelays[max(0, min($0.rounds, Self.suspectDelays.count) - 1)])
        }
    }

    /// Whether the next round must check this family.
    func needsAsking(at now: Instant) -> Bool {
        guard isOnline, suspicion == nil, candidate == nil, let proof, let askedAt, let checkedAt else { return true }
        return proof.until <= checkedAt || askedAt.duration(to: now) >= Self.longestProof
    }

    /// Notes that proof made a check needless.
    mutating func skipped(at now: Instant) { checkedAt = now }

    /// Plans the check of the next round, and counts it.
    mutating func plan(at now: Instant, isThorough: Bool) -> FamilyPlan {
        (askedAt, checkedAt) = (now, now)
        guard finding != nil else { return FamilyPlan(depth: .fresh, asksHTTPS: true) }
        guard isOnline, suspicion == nil else {
            guard finding == .captivePortal, !isInDoubt, !isThorough else {
                return FamilyPlan(depth: .confirming, asksHTTPS: true)
            }
            portalRounds += 1
            // One that redirects the first check for ever may let everything else pass.
            return portalRounds.isMultiple(of: Self.allChecksEvery)
                ? FamilyPlan(depth: .confirming, asksHTTPS: true) : FamilyPlan(depth: .portal)
        }
        routineRounds += 1
        // Only HTTPS shows whether certificates are still not trusted.
        let isInDoubt = finding != .online || candidate != nil
        let isDue = routineRounds.isMultiple(of: Self.httpsEvery)
        return FamilyPlan(depth: .routine, asksHTTPS: isThorough || isInDoubt || isDue)
    }

    // MARK: Evidence

    /// Takes the finding of a round; a certain finding needs no second round.
    ///
    /// - Parameters:
    ///   - new: what it found.
    ///   - evidence: what it follows from; nil for the word of a portal.
    ///   - isCertain: whether it needs no second round.
    ///   - start: when the round began.
    ///   - end: when the finding was made; nil: at its start.
    mutating func found(
        _ new: InternetFinding,
        from evidence: FamilyEvidence? = nil,
        isCertain: Bool = false,
        start: Instant,
        end: Instant? = nil
    ) {
        isUnresolved = evidence?.isUnresolved ?? false
        hinderedRounds = 0
        if new.isOnline { provenAt = end ?? start }
        guard let finding else {
            if !isAfterChange || mayConclude(new, start: start) { adopt(new, since: start) }
            return
        }
        if finding.isOnline {
            new.isOnline ? remain(new, start: start) : suspect(new, isCertain: isCertain, start: start)
        } else if new.isOnline {
            recover(new, start: start, end: end ?? start)
        } else {
            stay(new, isCertain: isCertain, start: start)
        }
    }

    /// Notes a round of which a limit of this machine ended the checks; after three the last conclusion is forgotten.
    mutating func hindered() {
        hinderedRounds += 1
        guard isStale else { return }
        (finding, downSince) = (nil, nil)
        clear()
    }

    /// Other programs received segments from the internet between `since` and `now`; nil: the start is unknown.
    ///
    /// This keeps a family online, but never makes it online.
    mutating func received(since: Instant?, until now: Instant) {
        proof = Proof(since: since, until: now)
        if let suspicion, suspicion.isSilence, isProven(since: suspicion.since) { clear() }
    }

    /// A probe that was sent at `since`, or the segments that were, got no answer: as good as a failed round.
    ///
    /// - Returns: whether it is the first failure.
    mutating func failed(since: Instant) -> Bool {
        guard isOnline, provenAt.map({ $0 <= since }) ?? true, !isProven(since: since) else { return false }
        guard let known = suspicion?.since else {
            suspicion = Suspicion(since: since, rounds: 0, failures: 1, isSilence: true)
            return true
        }
        suspicion?.since = min(known, since)
        return false
    }

    /// Something answers that was silent: if the round that follows succeeds, the outage ended now.
    mutating func showedLife(at now: Instant) {
        guard let finding, !finding.isOnline else { return }
        aliveSince = aliveSince ?? now
    }

    private func isProven(since instant: Instant) -> Bool { proof?.since.map { $0 >= instant } ?? false }

    // MARK: Conclusions

    /// Online before and now: trusted, or trusted on one host only, or not at all; two rounds must agree on a change.
    private mutating func remain(_ new: InternetFinding, start: Instant) {
        suspicion = nil
        if new == finding {
            candidate = nil
        } else if isAgreed(new, start: start) {
            adopt(new, since: candidate?.since ?? start)
        }
    }

    private mutating func suspect(_ new: InternetFinding, isCertain: Bool, start: Instant) {
        let isSilence = !isUnresolved && new.state != .dnsBroken && !new.isIntercepted
        guard !isSilence || !isProven(since: start) else { return }
        if suspicion == nil {
            suspicion = Suspicion(since: start, rounds: 1, failures: 1, isSilence: isSilence)
        } else {
            suspicion?.rounds += 1
            suspicion?.failures += 1
            suspicion?.isSilence = isSilence
        }
        let (since, failures) = (suspicion?.since ?? start, suspicion?.failures ?? 1)
        if new.isIntercepted {
            if isCertain || isAgreed(new, start: start) { adopt(new, since: since) }
        } else if mayConclude(new, start: start), failures >= Self.failuresNeeded {
            adopt(new, since: since)
        }
    }

    private mutating func recover(_ new: InternetFinding, start: Instant, end: Instant) {
        let since = aliveSince ?? end
        aliveSince = since
        let isShort = downSince.map { $0.duration(to: start) < Self.shortOutage } ?? true
        if isAgreed(new, start: start) || isShort { adopt(new, since: since) }
    }

    /// Offline before and now: what changes is confirmed, since a round may begin before a repair and end after it.
    private mutating func stay(_ new: InternetFinding, isCertain: Bool, start: Instant) {
        if let aliveSince, start >= aliveSince { self.aliveSince = nil }
        if new == finding {
            candidate = nil
        } else if isCertain || isAgreed(new, start: start) {
            let since = candidate?.since ?? start
            guard new.state != finding?.state else {
                (finding, candidate) = (new, nil)
                return
            }
            adopt(new, since: since)
        }
    }

    /// Whether lookups that failed are evidence: an address must have answered before they began.
    ///
    /// Else the way may have been repaired while they ran. The next round makes them anew.
    private mutating func mayConclude(_ new: InternetFinding, start: Instant) -> Bool {
        guard new.state != .dnsBroken else { return isAgreed(new, start: start) }
        candidate = nil
        return true
    }

    /// Whether an earlier round and all since have found the same; else remembers this one.
    private mutating func isAgreed(_ new: InternetFinding, start: Instant) -> Bool {
        if let candidate, candidate.finding == new { return candidate.since.duration(to: start) >= gap(before: new) }
        candidate = Candidate(finding: new, since: start)
        return false
    }

    private func gap(before new: InternetFinding) -> Duration {
        !isOnline && new.isOnline ? Self.returnGap : Self.agreementGap
    }

    private mutating func adopt(_ new: InternetFinding, since: Instant) {
        finding = new
        evidenceAt = since
        downSince = new.isOnline ? nil : downSince ?? since
        clear()
    }

    private mutating func clear() {
        suspicion = nil
        candidate = nil
        aliveSince = nil
    }
}

extension [AddressFamily: FamilyTracker] {
    /// Why the families are degraded that are as the best one.
    func degraded(like best: InternetFinding) -> [DegradedReason] {
        values.compactMap(\.finding).filter { $0.state == best.state }.compactMap(\.degraded)
    }
}
