/// Decides whether a reachable internet loses so many packets that it is degraded: a pure value.
struct DegradationDetector: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// Since when it has been degraded; nil while it is not.
    private(set) var degradedSince: Instant?
    /// Which of the values last were too high while it was degraded; empty while it is not.
    private(set) var reasons: Set<DegradedReason> = []
    private var loss = 0.0
    private var retransmittedShare = 0.0
    /// Since when the values contradict the current verdict.
    private var contrarySince: Instant?

    /// Above these ratios the internet is degraded; below half of them it no longer is.
    static let lossLimit = 0.05
    static let retransmissionLimit = 0.1
    /// How long the values must hold.
    static let enterAfter = Duration.seconds(30)
    static let leaveAfter = Duration.seconds(60)

    /// Takes the packet loss among the last 100 packets.
    mutating func measured(loss: Double, at now: Instant) {
        self.loss = loss
        decide(at: now)
    }

    /// Takes the share of retransmissions among the latest segments; nil: too few segments, which counts as none.
    mutating func measured(retransmittedShare: Double?, at now: Instant) {
        self.retransmittedShare = retransmittedShare ?? 0
        decide(at: now)
    }

    private mutating func decide(at now: Instant) {
        change(at: now)
        let high = high(share: 0.5)
        reasons = degradedSince == nil ? [] : high.isEmpty ? reasons : high
    }

    private mutating func change(at now: Instant) {
        let isContrary = degradedSince == nil ? !high(share: 1).isEmpty : high(share: 0.5).isEmpty
        guard isContrary else {
            contrarySince = nil
            return
        }
        let since = contrarySince ?? now
        contrarySince = since
        guard since.duration(to: now) >= (degradedSince == nil ? Self.enterAfter : Self.leaveAfter) else { return }
        degradedSince = degradedSince == nil ? since : nil
        contrarySince = nil
    }

    private func high(share: Double) -> Set<DegradedReason> {
        var high: Set<DegradedReason> = []
        if loss > Self.lossLimit * share { high.insert(.loss) }
        if retransmittedShare > Self.retransmissionLimit * share { high.insert(.retransmissions) }
        return high
    }
}
