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

    /// What happened between two readings of the host's uplinks; nothing where the first one was not known.
    package static func between(
        _ last: [UplinkReport],
        _ new: [UplinkReport],
        at now: SuspendingClock.Instant
    ) -> [UplinkEvent] {
        guard !last.isEmpty, last.allSatisfy({ $0.origin == .host }) else { return [] }
        let primary = last.first(where: \.isPrimary)?.name
        return new.flatMap { uplink -> [UplinkEvent] in
            let before = last.first { $0.name == uplink.name }
            var events: [UplinkEvent] = []
            if uplink.switches > before?.switches ?? 0, uplink.isPrimary, let primary, primary != uplink.name {
                events.append(UplinkEvent(.switched(from: primary), uplink.name, at: now))
            }
            for source in UplinkSwitchSource.allCases
            where uplink.switchesInside[source, default: 0] > before?.switchesInside[source] ?? 0 {
                events.append(UplinkEvent(.switchedInside(source), uplink.name, at: now))
            }
            if new.count > 1, uplink.outages > before?.outages ?? 0, let cause = uplink.cause,
                let since = uplink.downSince
            {
                events.append(UplinkEvent(.lost(cause), uplink.name, at: since))
            }
            return events
        }
    }
}
