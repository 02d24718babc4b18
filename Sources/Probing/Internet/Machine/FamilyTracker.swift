/// The hysteresis of one family: the evidence needed to conclude that its internet went, changed or came back.
struct FamilyTracker: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// The current finding; nil before the first, which is adopted at once.
    private(set) var finding: InternetFinding?
    /// When the first evidence for its state arrived.
    private(set) var evidenceAt: Instant?
    /// Failed rounds of a family that is online.
    private(set) var suspicion: Suspicion?
    /// A state that was found once and must be found again.
    private var candidate: Candidate?
    private var downSince: Instant?
    private var proof: Proof?
    private var isUnresolved = false
    /// In the last round no name led to a server.
    private var leadsNowhere = false
    private var routineRounds = 0
    /// The start of the last round that checked this family.
    private var askedAt: Instant?
    /// When it was last checked, or proof made a check needless.
    private var checkedAt: Instant?

    struct Suspicion: Sendable {
        /// The start of the first failed round, or the stall.
        let since: Instant
        /// The stall included.
        var failures = 1
        /// Nothing answered: received segments contradict it.
        ///
        /// They do not contradict a portal, certificates that are not trusted, or names that do not resolve.
        var isSilence: Bool
    }

    private struct Candidate {
        let state: InternetState
        let since: Instant
    }

    /// Other programs received segments from the internet in this time.
    private struct Proof {
        let since: Instant?
        let until: Instant
    }

    /// Failed rounds, the first one included, that make an outage.
    static let failuresNeeded = 3
    /// Two rounds agree only if they began at least this far apart.
    static let agreementGap = Duration.seconds(1)
    /// After a shorter outage one good round is enough.
    static let shortOutage = Duration.seconds(30)
    /// The second is a little short of 2 s: three rounds of 3 s and what they cost stay within 12 s.
    static let suspectDelays: [Duration] = [.seconds(1), .milliseconds(1900)]
    /// At least this often the internet is checked, whatever proof there is.
    static let longestProof = Duration.seconds(300)
    /// After this many good rounds HTTPS is checked as well.
    static let httpsEvery = 10

    var isOnline: Bool { finding?.isOnline == true }

    /// How soon the next round must follow; nil: after the ordinary interval.
    var recheck: Duration? {
        if candidate != nil { return Self.agreementGap }
        return suspicion.map { Self.suspectDelays[min($0.failures, Self.suspectDelays.count) - 1] }
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
            return FamilyPlan(depth: .confirming, asksHTTPS: true, asksLiterals: leadsNowhere)
        }
        routineRounds += 1
        // Only HTTPS shows whether certificates are still not trusted.
        let isInDoubt = finding != .online || candidate != nil
        let isDue = routineRounds.isMultiple(of: Self.httpsEvery)
        return FamilyPlan(depth: .routine, asksHTTPS: isThorough || isInDoubt || isDue)
    }

    /// Takes the finding of a round.
    ///
    /// - Parameters:
    ///   - new: the finding.
    ///   - evidence: what it follows from; nil for the word of a portal.
    ///   - isCertain: whether it needs no second round.
    ///   - start: of the round.
    mutating func found(
        _ new: InternetFinding,
        from evidence: FamilyEvidence? = nil,
        isCertain: Bool = false,
        start: Instant
    ) {
        leadsNowhere = evidence?.leadsNowhere ?? false
        isUnresolved = evidence?.isUnresolved ?? false
        guard let finding else { return adopt(new, since: start) }
        if finding.isOnline {
            new.isOnline ? remain(new, start: start) : suspect(new, isCertain: isCertain, start: start)
        } else if new.isOnline {
            recover(new, start: start)
        } else if new.state == .captivePortal, finding.state != .captivePortal {
            if isCertain {
                adopt(new, since: start)
            } else if isAgreed(.captivePortal, start: start) {
                adopt(new, since: candidate?.since ?? start)
            }
        } else if new.state != finding.state {
            adopt(new, since: start)
        } else {
            candidate = nil
            self.finding = new
        }
    }

    /// Other programs received segments from the internet between `since` and `now`; nil: the start is unknown.
    ///
    /// This keeps a family online, but never makes it online.
    mutating func received(since: Instant?, until now: Instant) {
        proof = Proof(since: since, until: now)
        if let suspicion, suspicion.isSilence, isProven(since: suspicion.since) { clear() }
    }

    /// Segments are sent and none are received.
    mutating func stalled(at now: Instant) {
        guard isOnline, suspicion == nil else { return }
        suspicion = Suspicion(since: now, isSilence: true)
    }

    private func isProven(since instant: Instant) -> Bool { proof?.since.map { $0 >= instant } ?? false }

    /// Online before and now: trusted, or trusted on one host only, or not at all; two rounds must agree on a change.
    private mutating func remain(_ new: InternetFinding, start: Instant) {
        suspicion = nil
        if new == finding {
            candidate = nil
        } else if isAgreed(new.state, start: start) {
            adopt(new, since: candidate?.since ?? start)
        }
    }

    private mutating func suspect(_ new: InternetFinding, isCertain: Bool, start: Instant) {
        let isSilence = !isUnresolved && new.state != .dnsBroken && !new.isIntercepted
        guard !isSilence || !isProven(since: start) else { return }
        if suspicion == nil {
            suspicion = Suspicion(since: start, isSilence: isSilence)
        } else {
            suspicion?.failures += 1
            suspicion?.isSilence = isSilence
        }
        let (since, failures) = (suspicion?.since ?? start, suspicion?.failures ?? 1)
        if new.isIntercepted {
            if isCertain || isAgreed(new.state, start: start) { adopt(new, since: since) }
        } else {
            candidate = nil
            if failures >= Self.failuresNeeded { adopt(new, since: since) }
        }
    }

    private mutating func recover(_ new: InternetFinding, start: Instant) {
        let isShort = downSince.map { $0.duration(to: start) < Self.shortOutage } ?? true
        if isAgreed(new.state, start: start) || isShort { adopt(new, since: candidate?.since ?? start) }
    }

    /// Whether an earlier round and all since have found the same; else remembers this one.
    private mutating func isAgreed(_ state: InternetState, start: Instant) -> Bool {
        if let candidate, candidate.state == state { return candidate.since.duration(to: start) >= Self.agreementGap }
        candidate = Candidate(state: state, since: start)
        return false
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
    }
}
