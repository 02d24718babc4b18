/// An outage of an uplink while it was a standby: not the only one in use.
package struct UplinkOutage: Sendable, Equatable {
    package var uplink: String
    package var outage: Outage

    package init(_ uplink: String, _ outage: Outage) { (self.uplink, self.outage) = (uplink, outage) }
}

/// The outages of uplinks while they are standbys, for the history: a value, with the time as a parameter.
///
/// What fails on the uplink that carries all traffic, or did until the path was lost, is an outage of the host: `OutageTracker` has it. The
/// outage of an uplink that the path leaves, or is switched to, is divided there.
struct StandbyOutages: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// Outages that wait to be taken; beyond it the oldest are dropped.
    private static let limit = 1000

    private var ongoing: [String: Outage] = [:]
    /// The standbys, and when their outages may have begun at the earliest: when each became one, or was observed again.
    private var earliest: [String: Instant] = [:]
    private var news: [UplinkOutage] = []

    /// - Parameters:
    ///   - records: all uplinks.
    ///   - primary: the name of the uplink in use, else of the last one that was; nil before the first.
    ///   - now: not before that of the last call.
    mutating func follow(_ records: [UplinkRecord], primary: String?, at now: Instant) {
        let standbys = primary == nil ? [] : records.filter { $0.name != primary || $0.use == .shared }
        let names = Set(standbys.map(\.name))
        for name in ongoing.keys where !names.contains(name) { end(name, at: now) }
        earliest = earliest.filter { names.contains($0.key) }
        for record in standbys {
            let earliest = self.earliest[record.name] ?? now
            self.earliest[record.name] = earliest
            guard record.isOnline == false, !record.isAssumed, let cause = record.cause, let since = record.downSince
            else {
                end(record.name, at: now)
                continue
            }
            guard ongoing[record.name] == nil else { continue }
            var outage = Outage(cause, since: max(since, earliest))
            // No other place is looked for beside the path.
            if cause == .link { outage.location = .link }
            ongoing[record.name] = outage
            report(record.name, outage)
        }
    }

    /// Nothing was observed in that time: an outage is known up to its begin, and none begins before its end.
    mutating func missed(_ gap: Duration, until now: Instant) {
        for name in ongoing.keys { end(name, at: now - gap) }
        earliest = earliest.mapValues { _ in now }
    }

    mutating func take() -> [UplinkOutage] {
        defer { news = [] }
        return news
    }

    private mutating func end(_ name: String, at now: Instant) {
        guard var outage = ongoing.removeValue(forKey: name) else { return }
        outage.length = max(.zero, outage.since.duration(to: now))
        report(name, outage)
    }

    private mutating func report(_ name: String, _ outage: Outage) {
        news = (news + [UplinkOutage(name, outage)]).suffix(Self.limit)
    }
}
