/// What happened to the uplinks.
package struct UplinkEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Traffic leaves here now.
        case switched(from: String)
        /// The way behind its router is another one.
        case switchedInside(UplinkSwitchSource)
        /// It does not reach the internet.
        case lost(OutageCause)
    }

    package var kind: Kind
    package var uplink: String
    /// When it began.
    package var at: SuspendingClock.Instant

    init(_ kind: Kind, _ uplink: String, at instant: SuspendingClock.Instant) {
        (self.kind, self.uplink, at) = (kind, uplink, instant)
    }
}
