package import Posix

/// What shows a switch.
package enum UplinkSwitchSource: String, Sendable, CaseIterable {
    /// The path of this host leads over another uplink.
    case route
    /// The first router behind this host's is another one.
    case hop
    /// The public address is another one.
    case address
}

/// Switches behind one router, each counted once, whichever signs of it are seen: a value, with the time as a parameter.
package struct InsideSwitches: Sendable {
    /// What has changed, in one family.
    package struct Sign: Hashable, Sendable {
        package var source: UplinkSwitchSource
        package var family: AddressFamily

        package init(_ source: UplinkSwitchSource, _ family: AddressFamily) {
            (self.source, self.family) = (source, family)
        }
    }

    /// For so long other signs belong to the same switch: in calm times a router is probed every five minutes.
    static let span = Duration.seconds(900)

    private var signs: Set<Sign> = []
    private var since: SuspendingClock.Instant?

    package init() {}

    /// - Returns: whether it is the first sign of a switch.
    package mutating func take(_ sign: Sign, at now: SuspendingClock.Instant) -> Bool {
        if let since, since.duration(to: now) < Self.span, signs.insert(sign).inserted { return false }
        (signs, since) = ([sign], now)
        return true
    }
}
