import Posix

/// Decides the state of the internet, and when to check what: a pure value that is given the time and random numbers.
///
/// There is at most one round, or request for a passive report, at a time. Each family is tracked by itself; the one
/// with the best state decides.
struct InternetStateMachine: Sendable {
    typealias Instant = SuspendingClock.Instant

    private enum Activity {
        case idle
        case awaitingPassiveReport
        case round(OngoingRound)
    }

    /// The last verdict; nil before the first.
    private(set) var published: InternetVerdict?
    /// When to send `timerFired`; nil: not before another event.
    var deadline: Instant? { [roundAt, pulses.dueAt].compactMap(\.self).min() }
    /// When the next round, or the request for a passive report before it, is due; nil: not before another event.
    private(set) var roundAt: Instant?
    private(set) var configuration: InternetConfiguration
    private(set) var path: InternetPath?
    private(set) var trackers: [AddressFamily: FamilyTracker] = [:]
    private(set) var degradation = DegradationDetector()
    private(set) var mtu = PathMTU()

    private var activity = Activity.idle
    private var schedule = RoundSchedule()
    private var triggers = RoundTriggers()
    private var rounds: UInt64 = 0
    /// Whether the internet was reachable when the last round began.
    private var isRoundOfOnline = false
    private var reportedAt: Instant?
    private var pulses = PulseSchedule()
    /// When a new path is checked again, whatever proof there is.
    private var secondRoundAt: Instant?

    /// A portal was announced or withdrawn, and no round has asked since.
    private var isPortalDue = false
    /// When such an announcement last started a round.
    private var portalRoundAt: Instant?

    /// Any host on the link can announce a portal: one round in this time at most.
    static let portalInterval = Duration.seconds(10)

    /// A round that has just begun because something answers is not started anew by what answers, too.
    static let shortestRound = Duration.milliseconds(200)

    /// The second round after a change of the path.
    static let secondRoundAfter = Duration.seconds(5)

    init(configuration: InternetConfiguration) { self.configuration = configuration }

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: when.
    ///   - random: 0 to 1, for the jitter.
    /// - Returns: the actions for the shell, in order.
    mutating func handle(_ event: Event, at now: Instant, random: Double) -> [Action] {
        let actions = react(to: event, at: now, random: random) + mtu.follow(trackers, over: path, configuration)
        let verdict = verdict(at: now)
        let isNew = verdict != nil && verdict != published
        published = verdict ?? published
        if pulses.follow(isOffline: isOffline, at: now) { triggers.reset() }
        return actions + (isNew ? [verdict].compactMap(\.self).map(Action.publish) : [])
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
        case .failed(let name, let since, let family):
            return failed(.target(name), since: since, families: family.map { [$0] }, at: now)
        case .sensed(let source, let isAlive):
            return sensed(source, isAlive: isAlive, at: now)
        case .mtuMeasured(let family, let mtu):
            self.mtu.measured(mtu, over: family)
            return []
        case .timerFired:
            return pulse(at: now) + wake(at: now)
        }
    }

    /// Forgets all findings; the verdict remains until there is a new one.
    private mutating func restart(at now: Instant) -> [Action] {
        trackers = [:]
        degradation = DegradationDetector()
        schedule = RoundSchedule()
        secondRoundAt = nil
        guard let path, path.carries else {
            roundAt = nil
            defer { activity = .idle }
            if case .round = activity { return [.cancelRound] }
            return []
        }
        let isAfterChange = published != nil
        for family in path.families { trackers[family] = FamilyTracker(isAfterChange: isAfterChange) }
        secondRoundAt = now.advanced(by: Self.secondRoundAfter)
        return startRound(at: now, isThorough: true)
    }

    /// Starts a round for an announcement, or sees that one is started later; never ends one.
    private mutating func startPortalRound(at now: Instant) -> [Action] {
        guard case .idle = activity, isPortalDue else { return [] }
        if let next = nextPortalRound, next > now {
            roundAt = min(roundAt ?? next, next)
            return []
        }
        portalRoundAt = now
        return startRound(at: now, isThorough: true)
    }

    /// When an announcement may start a round; nil: at once.
    private var nextPortalRound: Instant? { portalRoundAt?.advanced(by: Self.portalInterval) }

    private mutating func wake(at now: Instant) -> [Action] {
        guard case .idle = activity, let roundAt, roundAt <= now else { return [] }
        if isPortalDue, nextPortalRound ?? now <= now { return startPortalRound(at: now) }
        let isSecond = secondRoundAt.map { $0 <= now } ?? false
        guard !isSecond, trackers.values.contains(where: \.isOnline) else {
            if isSecond { secondRoundAt = nil }
            return startRound(at: now)
        }
        self.roundAt = nil
        activity = .awaitingPassiveReport
        return [.requestPassiveReport]
    }

    private mutating func received(_ report: PassiveReport?, at now: Instant, random: Double) -> [Action] {
        guard case .awaitingPassiveReport = activity else {
            return report.map { observe($0, at: now, random: random) } ?? []
        }
        if let report {
            note(report, at: now)
            for (family, since) in report.failingSince { _ = trackers[family]?.failed(since: since) }
        }
        activity = .idle
        let asked = trackers.filter { $0.value.needsAsking(at: now) }.keys
        for family in trackers.keys where !asked.contains(family) { trackers[family]?.skipped(at: now) }
        guard asked.isEmpty else { return startRound(Set(asked), at: now) }
        scheduleRound(at: now, random: random)
        return []
    }

    private mutating func observe(_ report: PassiveReport, at now: Instant, random: Double) -> [Action] {
        // Segments that arrived before the outage was found prove nothing.
        let isWithinOutage = pulses.since.flatMap { since in reportedAt.map { $0 >= since } } ?? false
        let before = suspects
        note(report, at: now)
        if isWithinOutage {
            return AddressFamily.allCases.flatMap { family in
                sensed(.traffic(family), isAlive: report.receivedFamilies.contains(family), at: now)
            }
        }
        let actions = report.failingSince.flatMap { failed(.traffic($0), since: $1, families: [$0], at: now) }
        guard actions.isEmpty, case .idle = activity, suspects != before else { return actions }
        guard suspects.isSubset(of: before) else { return startRound(at: now) }
        scheduleRound(at: now, random: random)
        return []
    }

    private mutating func note(_ report: PassiveReport, at now: Instant) {
        for family in report.receivedFamilies { trackers[family]?.received(since: reportedAt, until: now) }
        for family in report.stalledFamilies.subtracting(report.receivedFamilies) {
            _ = trackers[family]?.failed(since: now)
        }
        degradation.measured(retransmittedShare: report.retransmittedShare, at: now)
        reportedAt = now
    }

    // MARK: News

    /// Takes the failure of something else than a round, as the first failure of these families; nil: all.
    private mutating func failed(
        _ source: RoundTriggers.Source,
        since: Instant,
        families: Set<AddressFamily>?,
        at now: Instant
    ) -> [Action] {
        guard !isOffline else { return sensed(source, isAlive: false, at: now) }
        let families = families ?? Set(trackers.keys)
        // One that is suspect is so since the first failure.
        guard suspects.intersection(families).isEmpty else {
            for family in suspects.intersection(families) { _ = trackers[family]?.failed(since: since) }
            return []
        }
        guard triggers.admits(source, at: now) else { return [] }
        let isNews = families.filter { trackers[$0]?.failed(since: since) ?? false }.isEmpty == false
        guard isNews else { return [] }
        triggers.believe(source)
        if case .round = activity { return [] }
        return startRound(at: now)
    }

    /// What answers again while the internet is not reachable starts a round.
    private mutating func sensed(_ source: RoundTriggers.Source, isAlive: Bool, at now: Instant) -> [Action] {
        if source == .neighbour, !isAlive, path?.gateways.isEmpty == false { pulses.foundNoRouter() }
        let isBelieved = !triggers.isDoubted(source)
        guard isOffline, triggers.revived(source, isAlive: isAlive, at: now) else { return [] }
        let aliveSince = trackers.values.compactMap(\.aliveSince).min()
        // The round decides about one that was wrong before.
        if isBelieved { for family in trackers.keys { trackers[family]?.showedLife(at: now) } }
        if case .round(let round) = activity {
            // The packets of one that began before the first evidence may be lost.
            let isAfter = aliveSince.map { $0 <= round.start } ?? false
            let isYoung = isAfter && round.start.duration(to: now) < Self.shortestRound
            guard !isYoung, triggers.mayRestart(by: source) else { return [] }
        }
        return startRound(at: now)
    }

    private mutating func pulse(at now: Instant) -> [Action] {
        guard let path, let state = published?.state, let number = pulses.take(at: now) else { return [] }
        var pulse = Pulse(number, while: state, over: path, configuration)
        // Its answer would start no round.
        if let source = pulse.source, !triggers.admits(source, at: now) { pulse.beacon = nil }
        return [.pulse(pulse)]
    }

    private mutating func take(_ report: RoundReport, of id: UInt64, at now: Instant, random: Double) -> [Action] {
        guard case .round(var round) = activity, round.plan.id == id else { return [] }
        round.add(report)
        if round.isCaptive {
            for family in trackers.keys { trackers[family]?.found(.captivePortal, isCertain: true, start: round.start) }
        }
        for (family, finding) in round.takeFindings(untrustedTLS: configuration.untrustedTLS) {
            trackers[family]?.found(finding, from: round.evidence[family], start: round.start, end: now)
        }
        guard round.isOver else {
            activity = .round(round)
            return []
        }
        for family in round.hindered { trackers[family]?.hindered() }
        let isNews = best.isOnline != isRoundOfOnline || trackers.values.contains(where: \.isInDoubt)
        triggers.roundEnded(isNews: isNews, at: now)
        let isCutShort = round.evidence.count < round.plan.families.count
        activity = .idle
        scheduleRound(after: round.start, at: now, random: random)
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
        isRoundOfOnline = best.isOnline
        roundAt = nil
        return [.startRound(plan)]
    }

    /// `begin` is that of the round that ended now; nil: there was none.
    private mutating func scheduleRound(after begin: Instant? = nil, at now: Instant, random: Double) {
        guard let path else { return }
        let (begin, recheck) = (begin ?? now, trackers.values.compactMap { $0.recheck(at: now) }.min())
        let next = recheck ?? schedule.next(after: begin, at: now, situation, over: path, configuration, random: random)
        let portal = isPortalDue ? nextPortalRound ?? now : nil
        roundAt = [next, secondRoundAt, portal].compactMap(\.self).min()
    }
}
