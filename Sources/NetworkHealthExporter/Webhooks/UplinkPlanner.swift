import NetworkHealth
import Statistics

/// Decides what a webhook reports about uplinks; pure.
///
/// A switch is reported at once, and a lost uplink once it has been lost for `minimum`.
struct UplinkPlanner: Sendable {
    typealias Moment = WebhookPlanner.Moment

    private let minimum: Duration
    /// The uplink in use, else the last one that was; nil before the first.
    private var inUse: String?
    /// Switches to each uplink when the one in use was last known.
    private var switches: [String: UInt64] = [:]
    /// Switches behind the router of each uplink that were reported.
    private var inside: [String: UInt64] = [:]
    /// From when on each lost uplink has to be lost, the number of its outage, and whether it was reported.
    ///
    /// Each answer of the host's exporter gives another begin, to some milliseconds: the number is the same.
    private var lost: [String: (countsFrom: WebhookPlanner.Instant, number: UInt64, isReported: Bool)] = [:]

    /// - Parameter minimum: how long an uplink must be lost.
    init(minimum: Duration) { self.minimum = minimum }

    /// When a lost uplink may be due without a change; nil: never.
    var deadline: WebhookPlanner.Instant? {
        lost.values.compactMap { $0.isReported ? nil : $0.countsFrom + minimum }.min()
    }

    /// After time in which nothing was observed, what is not reported has to last from now on.
    mutating func missed(at now: WebhookPlanner.Instant) {
        for name in lost.keys where lost[name]?.isReported == false { lost[name]?.countsFrom = now }
    }

    /// - Parameters:
    ///   - uplinks: those of this moment.
    ///   - now: this moment.
    /// - Returns: what is to be reported; mostly nothing.
    mutating func take(_ uplinks: [UplinkReport], at now: Moment) -> [WebhookOccurrence] {
        // While the host's exporter is silent, nothing is known. What was known before is kept, and compared with its next answer.
        guard uplinks.allSatisfy({ $0.origin != .silentHost }) else {
            lost = lost.filter { $0.value.isReported }
            return []
        }
        var occurrences: [WebhookOccurrence] = []
        // The configuration has given another name to one, or it is forgotten.
        let names = Set(uplinks.map(\.name))
        if let last = inUse, !names.contains(last) { inUse = nil }
        lost = lost.filter { names.contains($0.key) }
        if let new = uplinks.first(where: \.isPrimary)?.name {
            // Another name alone is no switch. After a switch the uplink may have got another name already: any count may show it.
            let isSwitched = uplinks.contains { $0.switches > switches[$0.name, default: 0] }
            if let inUse, inUse != new, isSwitched {
                occurrences.append(
                    WebhookOccurrence(
                        event: .uplinkSwitched,
                        started: now.date,
                        seconds: 0,
                        uplink: new,
                        previousUplink: inUse
                    )
                )
            }
            inUse = new
            switches = Dictionary(uplinks.map { ($0.name, $0.switches) }, uniquingKeysWith: max)
        }
        for uplink in uplinks {
            let count = uplink.switchesInside.values.reduce(0, +)
            if let last = inside[uplink.name], count > last {
                occurrences.append(
                    WebhookOccurrence(event: .uplinkSwitched, started: now.date, seconds: 0, uplink: uplink.name)
                )
            }
            inside[uplink.name] = count
        }
        inside = inside.filter { names.contains($0.key) }
        // The outage of the only uplink is that of the host.
        guard uplinks.count > 1 else {
            // What is not reported would stay due, and its deadline in the past.
            lost = lost.filter { $0.value.isReported }
            return occurrences
        }
        for uplink in uplinks {
            guard let since = uplink.downSince, let cause = uplink.cause else {
                lost[uplink.name] = nil
                continue
            }
            if lost[uplink.name]?.number != uplink.outages { lost[uplink.name] = (since, uplink.outages, false) }
            guard let entry = lost[uplink.name], !entry.isReported,
                entry.countsFrom.duration(to: now.instant) >= minimum
            else { continue }
            lost[uplink.name]?.isReported = true
            occurrences.append(
                WebhookOccurrence(
                    event: .uplinkLost,
                    started: now.date(of: since),
                    seconds: since.duration(to: now.instant).seconds,
                    cause: cause,
                    uplink: uplink.name
                )
            )
        }
        return occurrences
    }
}
