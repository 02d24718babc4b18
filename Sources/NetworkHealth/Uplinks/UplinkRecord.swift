import NetworkPath
import Probing
import Statistics

/// What is known about one uplink, and what has been counted: a value, with the time as a parameter.
struct UplinkRecord: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// How long a link must stay down, or a route away, before that is an outage: a carrier is often back at once.
    static let hold = Duration.seconds(1)
    /// From one silent round to its repetition.
    static let retry = Duration.seconds(5)
    /// Intervals without a conclusive round after which it is not known any more whether it works.
    private static let longestDoubt = 3
    /// Packets that the loss is computed from.
    private static let (window, fewestForLoss) = (100, 20)

    private(set) var name: String
    var rule: UplinkRule?
    /// nil: the kernel has no such device, or no route over it ever since.
    private(set) var way: WayOut?
    private(set) var use = UplinkUse.standby
    /// The device of the path in use.
    private(set) var isPrimary = false
    private(set) var obstacle: UplinkObstacle?
    /// nil: unknown.
    private(set) var isOnline: Bool?
    /// Of the ongoing outage; nil without one.
    private(set) var cause: OutageCause?
    private(set) var downSince: Instant?
    /// Whether its verdict is that of the path which has left it, or from before a time in which this process did not run.
    private(set) var isAssumed = false

    private(set) var outages: UInt64 = 0
    private(set) var offline = Duration.zero
    private(set) var active = Duration.zero
    var switches: UInt64 = 0
    /// Behind its router.
    var switchesInside: [UplinkSwitchSource: UInt64] = [:]

    /// When the next round is due; nil: none is.
    private(set) var dueAt: Instant?
    /// Identifies the binding: a round of an earlier one says nothing.
    private(set) var epoch: UInt64 = 0
    private(set) var isProbing = false
    private var startedAt: Instant?

    private var settledAt: Instant
    /// No outage begins before this.
    private var earliest: Instant
    /// The first evidence that the link or the route is lost.
    private var lostSince: Instant?
    /// The begin of a silent round that is not confirmed yet.
    private(set) var silentSince: Instant?
    /// The generation of the path from which on it is alone in use.
    private var aloneSince: UInt64?
    private var outcomes: [Duration?] = []
    /// When a probe was last answered; nil: none was since it was last alone in use.
    private(set) var answeredAt: Instant?
    /// From when on inconclusive rounds have left its verdict as it is.
    private var doubtedSince: Instant?

    init(_ name: String, at now: Instant) {
        self.name = name
        (settledAt, earliest) = (now, now)
    }

    var isActive: Bool { use != .standby || isPrimary }
    /// Whether the kernel has a default route over it.
    var hasRoute: Bool { way?.routers.isEmpty == false }

    /// Of the probes while it is not alone in use: the median of the last ten answers.
    var latency: Duration? { outcomes.compactMap(\.self).suffix(10).median }
    var lossRatio: Double? {
        outcomes.count < Self.fewestForLoss ? nil : Double(outcomes.count { $0 == nil }) / Double(outcomes.count)
    }

    /// Counts the time up to now.
    mutating func settle(at now: Instant) {
        let elapsed = max(.zero, settledAt.duration(to: now))
        if isActive { active += elapsed }
        if isOnline == false { offline += elapsed }
        settledAt = max(settledAt, now)
    }

    /// Gives it another name; a round of the former one that is under way is made anew, as its result finds no uplink.
    mutating func rename(_ new: String) {
        name = new
        voidRound()
    }

    /// The result of a round that is under way does not count.
    private mutating func voidRound() {
        if isProbing { (epoch, isProbing) = (epoch + 1, false) }
    }

    /// Excludes time in which this process did not run.
    ///
    /// No outage begins in it, and a silent round before it does not count.
    mutating func skip(_ gap: Duration, until now: Instant) {
        (settledAt, isAssumed) = (settledAt + gap, true)
        (earliest, silentSince) = (max(earliest, now), nil)
    }

    /// Asks at once: a silent round of before does not count, and one that was under way may have missed its answer.
    mutating func resume(at now: Instant) {
        silentSince = nil
        voidRound()
        expectRound(within: .zero, at: now)
    }

    // MARK: What the kernel and the path say

    /// Takes what the kernel says about it, and how the path uses it.
    ///
    /// - Returns: whether an outage began.
    mutating func follow(
        _ newWay: WayOut?,
        _ newUse: UplinkUse,
        isPrimary: Bool,
        _ newObstacle: UplinkObstacle?,
        _ health: HealthState?,
        at now: Instant
    ) -> Bool {
        settle(at: now)
        let (wasBound, lastRouters) = (binding, way?.routers)
        let isOther = way.map { last in newWay.map { !$0.isSame(as: last) } ?? false } ?? false
        (way, self.isPrimary, obstacle) = (newWay, isPrimary, newObstacle)
        if newUse == .alone, use != .alone { aloneSince = health?.generation }
        if newUse != .alone, use == .alone { isAssumed = true }
        use = newUse
        if use == .alone || isOther { answeredAt = nil }
        // Another device or network has the name: nothing is known of it yet, but what is known of the path.
        if isOther {
            outcomes = []
            if use != .alone { _ = forget() }
        }
        // Behind another router is another network.
        if binding != wasBound || binding != nil && way?.routers != lastRouters {
            epoch += 1
            (silentSince, doubtedSince, isProbing) = (nil, nil, false)
            // At once, as one that was just left may be broken, and one whose link is back may work; less often where it flaps.
            dueAt = binding == nil ? nil : max(now, startedAt.map { $0 + Self.retry } ?? now)
        }
        return judge(health, at: now)
    }

    /// What its probes are bound to; nil: there are none.
    var binding: UplinkBinding? {
        guard obstacle == nil, use != .alone, let way, way.isUsable, case .bound(let sources) = way.access else {
            return nil
        }
        return UplinkBinding(device: way.interface.name, sources: sources)
    }

    private mutating func judge(_ health: HealthState?, at now: Instant) -> Bool {
        guard let health, !health.isSettling else {
            lostSince = nil
            return false
        }
        guard let way, way.isUsable, hasRoute else {
            // Only what the configuration names is expected to be there: a cable is pulled out, and an exit node switched off, on purpose.
            guard let rule, rule.standbyInterval != .zero, obstacle != .unrecognized else { return forget() }
            return lose(way?.isUsable == false ? .link : .route, at: now)
        }
        if use == .alone, !health.status.isConnected { return lose(health.ongoingCause ?? .route, at: now) }
        lostSince = nil
        if use == .alone { return follow(verdict: health, at: now) }
        return binding == nil ? forget() : false
    }

    /// A link or a route that stays lost is an outage since the first evidence.
    private mutating func lose(_ cause: OutageCause, at now: Instant) -> Bool {
        let since = lostSince ?? now
        lostSince = since
        let time = since.duration(to: now)
        guard time >= Self.hold else { return false }
        // It was to be decided then. This process has not run since, and the link may be back.
        guard isOnline == false || time <= Self.hold + ObservationGap.tolerance else {
            lostSince = now
            return false
        }
        return down(cause, since: since, at: now)
    }

    /// When the state changes by the passing of time alone; nil: it does not.
    var deadline: Instant? { isOnline == false ? nil : lostSince.map { $0 + Self.hold } }

    /// What is known about the internet is known about the only uplink in use, from the first verdict on.
    private mutating func follow(verdict health: HealthState, at now: Instant) -> Bool {
        if let internet = health.internet, internet.generation < aloneSince ?? 0 { return false }
        switch health.isOnline {
        case true?: return up(at: now)
        case false?:
            let cause = health.internet.flatMap(OutageCause.init) ?? health.ongoingCause ?? .noInternet
            return down(cause, since: health.internet?.evidenceAt ?? now, at: now)
        case nil: return false
        }
    }

    // MARK: What probes say

    /// Starts the round that is due.
    mutating func start(at now: Instant) -> Bool {
        guard let dueAt, dueAt <= now, !isProbing, binding != nil else { return false }
        (isProbing, startedAt) = (true, now)
        return true
    }

    /// No round is due later than an interval from now, as after that became shorter.
    mutating func expectRound(within interval: Duration, at now: Instant) {
        dueAt = dueAt.map { min($0, now + interval) }
    }

    /// Takes the result of a round that began then; two silent ones in a row are an outage since the first.
    ///
    /// Where no rule names it, the internet must have been reached over it before: a default route may lead into a network without one.
    ///
    /// - Returns: whether an outage began.
    mutating func finish(
        _ round: UplinkRound,
        of turn: UInt64,
        began: Instant,
        every interval: Duration,
        at now: Instant
    ) -> Bool {
        guard turn == epoch, isProbing else { return false }
        settle(at: now)
        isProbing = false
        dueAt = now + interval
        if round.verdict != .inconclusive { doubtedSince = nil }
        switch round.verdict {
        case .answered:
            silentSince = nil
            answeredAt = now
            outcomes = (outcomes + round.outcomes).suffix(Self.window)
            return up(at: now)
        case .silent where isOnline == false || isOnline == nil && rule == nil:
            isAssumed = false
            return false
        case .silent:
            guard let since = silentSince else {
                silentSince = began
                dueAt = now + min(Self.retry, interval)
                return false
            }
            silentSince = nil
            return down(.noInternet, since: since, at: now)
        case .inconclusive:
            silentSince = nil
            let since = doubtedSince ?? now
            doubtedSince = since
            return since.duration(to: now) >= interval * Self.longestDoubt ? forget() : false
        }
    }

    // MARK: Outages

    private mutating func up(at now: Instant) -> Bool {
        if isOnline == false { earliest = now }
        (isOnline, cause, downSince, isAssumed) = (true, nil, nil, false)
        return false
    }

    private mutating func down(_ cause: OutageCause, since evidence: Instant, at now: Instant) -> Bool {
        isAssumed = false
        guard isOnline != false else { return false }
        let since = max(evidence, earliest)
        (isOnline, self.cause, downSince) = (false, cause, since)
        outages += 1
        offline += max(.zero, since.duration(to: now))
        // What was measured before says nothing about the time after.
        outcomes = []
        return true
    }

    /// Nothing is known any more: an ongoing outage is not known to last.
    private mutating func forget() -> Bool {
        if isOnline == false { earliest = settledAt }
        (isOnline, cause, downSince, lostSince, silentSince, outcomes) = (nil, nil, nil, nil, nil, [])
        return false
    }
}

extension HealthState {
    /// Of the ongoing outage; nil without one.
    fileprivate var ongoingCause: OutageCause? { outage.flatMap { $0.isOngoing ? $0.cause : nil } }
}
