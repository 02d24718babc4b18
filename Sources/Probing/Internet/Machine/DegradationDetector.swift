/// Decides whether an internet that is there loses too much to be called online: a pure value.
struct DegradationDetector: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// Since when it has been degraded; nil while it is not.
    private(set) var degradedSince: Instant?
    private var loss = 0.0
    private var retransmittedShare = 0.0
    /// Since when the values speak against the verdict that stands.
    private var contrarySince: Instant?

    /// Ratios from which on the internet is degraded; half of them end it.
    static let lossLimit = 0.05
    static let retransmissionLimit = 0.1
    /// How long they must hold.
    static let enterAfter = Duration.seconds(30)
    static let leaveAfter = Duration.seconds(60)

    /// Of the last 100 packets, how many were lost.
    mutating func measured(loss: Double, at now: Instant) {
        self.loss = loss
        decide(at: now)
    }

    /// Of the segments sent lately, how many were sent again; nil: too few to say, which is no complaint.
    mutating func measured(retransmittedShare: Double?, at now: Instant) {
        self.retransmittedShare = retransmittedShare ?? 0
        decide(at: now)
    }

    private mutating func decide(at now: Instant) {
        let isContrary = degradedSince == nil ? isAbove(share: 1) : !isAbove(share: 0.5)
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

    private func isAbove(share: Double) -> Bool {
        loss > Self.lossLimit * share || retransmittedShare > Self.retransmissionLimit * share
    }
}
