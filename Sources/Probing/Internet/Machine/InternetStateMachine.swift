import Posix

/// Decides the state of the internet, and when to check what: a pure value that is given the time and random numbers.
///
/// There is at most one round, or request for a passive report, at a time. Each family is tracked by itself; the one
/// with the best state decides.
struct InternetStateMachine: Sendable {
    typealias Instant = SuspendingClock.Instant

    enum Event: Sendable {
        case pathChanged(InternetPath)
        /// This host was suspended, or this process stopped: earlier findings are void.
        case resumed
        case configured(InternetConfiguration)
        /// The traffic of other programs since the last report, unrequested.
        case observed(PassiveReport)
        case passiveReport(PassiveReport?)
        /// The packet loss among the last 100 packets.
        case lossMeasured(Double)
        case reported(RoundReport, round: UInt64)
        case timerFired
    }

    enum Action: Sendable, Equatable {
        /// Requests a report, which comes as `passiveReport`.
        case requestPassiveReport
        /// Ends the previous round.
        case startRound(RoundPlan)
        case cancelRound
        case publish(InternetVerdict)
    }

    private enum Activity {
        case idle
        case awaitingPassiveReport
        case round(OngoingRound)
    }

    /// The last verdict; nil before the first.
    private(set) var published: InternetVerdict?
    /// When to send `timerFired`; nil: not before another event.
    private(set) var deadline: Instant?
    private(set) var configuration: InternetConfiguration

    private var path: InternetPath?
    private var trackers: [AddressFamily: FamilyTracker] = [:]
    private var activity = Activity.idle
    private var schedule = RoundSchedule()
    private var degradation = DegradationDetector()
    private var rounds: UInt64 = 0
    private var reportedAt: Instant?
    /// The families about which the last round that checked them could conclude nothing; see `InternetVerdict.isHindered`.
    private var hindered: Set<AddressFamily> = []
    /// When a new path is checked again, whatever proof there is.
    private var secondRoundAt: Instant?

    /// A portal was announced or withdrawn, and no round has asked since.
    private var isPortalDue = false
    /// When such an announcement last started a round.
    private var portalRoundAt: Instant?

    /// Any host on the link can announce a portal: one round in this time at most.
    static let portalInterval = Duration.seconds(10)

    /// The second round after a change of the path.
    static let secondRoundAfter = Duration.seconds(5)

    init(configuration: InternetConfiguration) { self.configuration = configuration }

    /// Takes an event and returns the actions, in order.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: when.
    ///   - random: 0 to 1, for the jitter.
    /// - Returns: the actions for the shell.
    mutating func handle(_ event: Event, at now: Instant, random: Double) -> [Action] {
        let actions = react(to: event, at: now, random: random)
        guard let verdict = verdict(at: now), verdict != published else { return actions }
        published = verdict
        return actions + [.publish(verdict)]
    }

    private mutating func react(to event: Event, at now: Instant, random: Double) -> [Action] {
        switch event {
        case .pathChanged(let path):
            let isSameWay = self.path?.leads(likewise: path) ?? false
            let isAnnouncement = self.path?.differsOnlyByPortal(from: path) ?? false
            self.path = path
            if isAnnouncement, path.carries {
                isPortalDue = true
                return startPortalRound(at: now)
            }
            // Another cost, name server or portal: findings about the route still hold.
            return isSameWay && path.carries ? startRound(at: now, isThorough: true) : restart(at: now)
        case .resumed:
            // Their evidence, too: the same finding is another verdict.
            if path?.carries == true { published = nil }
            return restart(at: now)
        case .configured(let configuration):
            guard configuration != self.configuration else { return [] }
            self.configuration = configuration
            return startRound(at: now, isThorough: true)
        case .observed(let report):
            return observe(report, at: now, random: random)
        case .passiveReport(let report):
            return received(report, at: now, random: random)
        case .lossMeasured(let loss):
            degradation.measured(loss: loss, at: now)
            return []
        case .reported(let report, let id):
            return take(report, of: id, at: now, random: random)
        case .timerFired:
            return wake(at: now)
        }
    }

    /// Forgets all findings; the verdict remains until there is a new one.
    private mutating func restart(at now: Instant) -> [Action] {
        trackers = [:]
        degradation = DegradationDetector()
        schedule = RoundSchedule()
        secondRoundAt = nil
        hindered = []
        guard let path, path.carries else {
            deadline = nil
            defer { activity = .idle }
            if case .round = activity { return [.cancelRound] }
            return []
        }
        for family in path.families { trackers[family] = FamilyTracker() }
        secondRoundAt = now.advanced(by: Self.secondRoundAfter)
        return startRound(at: now, isThorough: true)
    }

    /// Starts a round for an announcement, or sees that one is started later; never ends one.
    private mutating func startPortalRound(at now: Instant) -> [Action] {
        guard case .idle = activity, isPortalDue else { return [] }
        if let next = nextPortalRound, next > now {
            deadline = min(deadline ?? next, next)
            return []
        }
        portalRoundAt = now
        return startRound(at: now, isThorough: true)
    }

    /// When an announcement may start a round; nil: at once.
    private var nextPortalRound: Instant? { portalRoundAt?.advanced(by: Self.portalInterval) }

    private mutating func wake(at now: Instant) -> [Action] {
        guard case .idle = activity, let deadline, deadline <= now else { return [] }
        if isPortalDue, nextPortalRound ?? now <= now { return startPortalRound(at: now) }
        let isSecond = secondRoundAt.map { $0 <= now } ?? false
        guard !isSecond, trackers.values.contains(where: \.isOnline) else {
            if isSecond { secondRoundAt = nil }
            return startRound(at: now)
        }
        self.deadline = nil
        activity = .awaitingPassiveReport
        return [.requestPassiveReport]
    }

    private mutating func received(_ report: PassiveReport?, at now: Instant, random: Double) -> [Action] {
        guard case .awaitingPassiveReport = activity else {
            return report.map { observe($0, at: now, random: random) } ?? []
        }
        if let report { note(report, at: now) }
        activity = .idle
        let asked = trackers.filter { $0.value.needsAsking(at: now) }.keys
        for family in trackers.keys where !asked.contains(family) { trackers[family]?.skipped(at: now) }
        guard asked.isEmpty else { return startRound(Set(asked), at: now) }
        scheduleRound(at: now, random: random)
        return []
    }

    private mutating func observe(_ report: PassiveReport, at now: Instant, random: Double) -> [Action] {
        let before = suspects
        note(report, at: now)
        guard case .idle = activity, suspects != before else { return [] }
        guard suspects.isSubset(of: before) else { return startRound(at: now) }
        scheduleRound(at: now, random: random)
        return []
    }

    private mutating func note(_ report: PassiveReport, at now: Instant) {
        for family in report.receivedFamilies { trackers[family]?.received(since: reportedAt, until: now) }
        for family in report.stalledFamilies.subtracting(report.receivedFamilies) {
            trackers[family]?.stalled(at: now)
        }
        degradation.measured(retransmittedShare: report.retransmittedShare, at: now)
        reportedAt = now
    }

    private mutating func take(_ report: RoundReport, of id: UInt64, at now: Instant, random: Double) -> [Action] {
        guard case .round(var round) = activity, round.plan.id == id else { return [] }
        round.add(report)
        if round.isCaptive {
            for family in trackers.keys { trackers[family]?.found(.captivePortal, isCertain: true, start: round.start) }
        }
        for (family, finding) in round.takeFindings(untrustedTLS: configuration.untrustedTLS) {
            trackers[family]?.found(finding, from: round.evidence[family], start: round.start)
        }
        guard round.isOver else {
            activity = .round(round)
            return []
        }
        hindered = hindered.subtracting(round.plan.families.keys).union(round.hindered)
        let isCutShort = round.evidence.count < round.plan.families.count
        activity = .idle
        scheduleRound(at: now, random: random)
        return isCutShort ? [.cancelRound] : []
    }

    private mutating func startRound(
        _ asked: Set<AddressFamily>? = nil,
        at now: Instant,
        isThorough: Bool = false
    ) -> [Action] {
        guard let path, path.carries else { return [] }
        rounds &+= 1
        var plan = RoundPlan(id: rounds, families: [:], gateways: path.gateways)
        for family in asked ?? path.families {
            plan.families[family] = trackers[family]?.plan(at: now, isThorough: isThorough)
        }
        if plan.families.values.contains(where: \.isThorough) {
            plan.portalURI = path.portal
            isPortalDue = false
        }
        activity = .round(OngoingRound(plan, start: now))
        deadline = nil
        return [.startRound(plan)]
    }

    private mutating func scheduleRound(at now: Instant, random: Double) {
        guard let path else { return }
        let wait =
            trackers.values.compactMap(\.recheck).min()
            ?? schedule.next(situation, over: path, configuration: configuration, random: random)
        let portal = isPortalDue ? nextPortalRound ?? now : nil
        deadline = [wait.map(now.advanced(by:)), secondRoundAt, portal].compactMap(\.self).min()
    }

    private var suspects: Set<AddressFamily> { Set(trackers.filter { $0.value.suspicion != nil }.keys) }

    private var best: InternetFinding {
        trackers.values.compactMap(\.finding).max { $0.reach < $1.reach } ?? InternetFinding(state: .unknown)
    }

    /// Of the lost packets, and of the families that are as the best one.
    private func degradedReasons(like best: InternetFinding) -> Set<DegradedReason> {
        let found = trackers.values.compactMap(\.finding).filter { $0.state == best.state }
        return degradation.reasons.union(found.compactMap(\.degraded))
    }

    private var situation: RoundSchedule.Situation {
        best.isOnline ? .healthy : best.state == .captivePortal ? .captivePortal : .offline
    }

    /// The current verdict; nil while evidence is missing.
    private func verdict(at now: Instant) -> InternetVerdict? {
        guard let path else { return nil }
        guard path.carries else {
            let since = published.flatMap { $0.state == .noPath ? $0.evidenceAt : nil } ?? now
            return InternetVerdict(state: .noPath, evidenceAt: since, generation: path.generation)
        }
        let best = best
        // One family that is online is enough; for offline, all must have a finding.
        guard best.isOnline || trackers.values.allSatisfy({ $0.finding != nil }) else {
            return hindered.isEmpty ? nil : .hindered(after: published, on: path, at: now)
        }
        let degradedSince = best.isOnline ? degradation.degradedSince : nil
        // There is a path, so that no reachable host means: nothing beyond this network answers.
        let isBlind = best.state == .noPath
        let isLossy = degradedSince != nil && best.state != .tlsUntrusted
        let state = isLossy ? .degraded : isBlind ? .noInternet : best.state
        return InternetVerdict(
            state: state,
            families: trackers.mapValues { $0.finding?.state ?? .unknown },
            cause: isBlind ? .upstream : best.cause,
            degradedReasons: state == .degraded ? degradedReasons(like: best) : [],
            evidenceAt: evidence(for: state, best, in: path) ?? degradedSince ?? now,
            isSuspect: best.isOnline && trackers.values.allSatisfy { !$0.isOnline || $0.suspicion != nil },
            isHindered: trackers.allSatisfy { $1.isOnline != best.isOnline || hindered.contains($0) },
            generation: path.generation
        )
    }

    /// An unchanged verdict keeps its evidence.
    ///
    /// Else the internet is online since the first family was, and offline since the last one went.
    private func evidence(
        for state: InternetState,
        _ best: InternetFinding,
        in path: InternetPath
    ) -> Instant? {
        if let published, published.state == state, published.isOnline == best.isOnline,
            published.generation == path.generation
        {
            return published.evidenceAt
        }
        guard best.isOnline else { return trackers.values.compactMap(\.evidenceAt).max() }
        // Else packets are lost.
        guard state == best.state else { return nil }
        return trackers.values.filter { $0.finding?.state == state }.compactMap(\.evidenceAt).min()
    }
}
