/// What happens to the uplinks of a host, by what its exporter says of them again and again: a value.
package struct UplinkReadings: Sendable {
    private var last: [UplinkReport] = []
    /// The uplink in use, else the last one that was.
    private var inUse: String?
    /// Whether a switch was counted since then.
    private var hasSwitched = false

    package init() {}

    /// Takes what the exporter of the host says now.
    ///
    /// - Returns: what has happened since the last reading; nothing where that one was not known.
    package mutating func take(_ new: [UplinkReport], at now: SuspendingClock.Instant) -> [UplinkEvent] {
        defer { last = new }
        guard !last.isEmpty, (last + new).allSatisfy({ $0.origin == .host }) else {
            (inUse, hasSwitched) = (new.first(where: \.isPrimary)?.name, false)
            return []
        }
        let known = new.map { (uplink: $0, before: before($0, among: new)) }
        // After a switch the uplink may have got another name already: any count may show it.
        let isSwitched = hasSwitched || known.contains { $0.uplink.switches > $0.before?.switches ?? 0 }
        let (former, used) = (inUse, known.first { $0.uplink.isPrimary }?.uplink.name)
        let renamed = former.flatMap { name in known.first { $0.before?.name == name }?.uplink.name }
        (inUse, hasSwitched) = (used ?? renamed ?? former, used == nil && isSwitched)
        return known.flatMap { uplink, before -> [UplinkEvent] in
            var events: [UplinkEvent] = []
            if isSwitched, uplink.isPrimary, let former, uplink.name != former, before?.name != former {
                events.append(UplinkEvent(.switched(from: former), uplink.name, at: now))
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

    /// The same uplink in the last reading: by its name, else by its device, since a reload may have named it.
    private func before(_ uplink: UplinkReport, among new: [UplinkReport]) -> UplinkReport? {
        if let same = last.first(where: { $0.name == uplink.name }) { return same }
        guard let device = uplink.device else { return nil }
        return last.first { old in old.device == device && !new.contains { $0.name == old.name } }
    }
}
