import Posix
import Statistics

/// The hops of each family, and when they are probed next: a pure value.
struct HopTable: Sendable, Timetable {
    /// A probe to send.
    struct Run: Sendable, Equatable {
        var turn: HopSchedule.Turn
        var destination: IPAddress
        var timeout: Duration
        /// The number of the uplink that it is about.
        var uplink: UInt64
    }

    /// What an outcome says about the first router behind this host's.
    enum Finding: Sendable, Equatable {
        /// Another one answers: it is looked for anew.
        case doubt
        /// It is another one now.
        case moved
    }

    private var schedule: HopSchedule
    private var path: InternetPath?
    /// Of the last satisfied path, and its number.
    private var lastUplink: InternetPath.Uplink?
    private var uplink: UInt64 = 0
    /// Of the current uplink; the counters are those since the start.
    private var found: [AddressFamily: HopReport] = [:]
    private var watches: [AddressFamily: AddressWatch] = [:]

    init(_ configuration: HopConfiguration) { schedule = HopSchedule(configuration) }

    /// When the next probe is due; nil: not before a change.
    var next: Duration? { schedule.next }

    /// Of the families that have been probed.
    var reports: [HopReport] { AddressFamily.allCases.compactMap { found[$0] } }

    mutating func apply(_ configuration: HopConfiguration, at now: Duration) {
        guard configuration != schedule.configuration else { return }
        schedule.apply(configuration, over: path, at: now)
        restart()
    }

    mutating func change(_ path: InternetPath, at now: Duration) {
        // Without a path, what is known about the last one remains.
        let isNew = path.isSatisfied && lastUplink != path.uplink
        schedule.change(path, isNewUplink: isNew, at: now)
        self.path = path
        guard isNew else { return }
        lastUplink = path.uplink
        restart()
    }

    mutating func change(_ mode: HopMode, at now: Duration) { schedule.change(mode, at: now) }

    /// Takes the probes that are due.
    mutating func start(at now: Duration) -> [Run] {
        let configuration = schedule.configuration
        return schedule.due(at: now, knowing: found).compactMap { turn in
            configuration.destinations[turn.family].map {
                Run(turn: turn, destination: $0, timeout: configuration.timeout, uplink: uplink)
            }
        }
    }

    /// Looks for the hops anew, at the pace of a search.
    mutating func lookAgain(_ family: AddressFamily, at now: Duration) { schedule.lookAgain(family, at: now) }

    /// Takes the outcome of a probe, unless the uplink is another one now.
    @discardableResult
    mutating func finish(
        _ run: Run,
        _ outcome: HopOutcome,
        sentAt: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> Finding? {
        if case .unsent = outcome { return nil }
        guard run.uplink == uplink else { return nil }
        var report = found[run.turn.family] ?? HopReport(family: run.turn.family)
        report.add(outcome, of: run.turn.distance, sentAt: sentAt, at: now)
        found[run.turn.family] = report
        guard run.turn.distance == schedule.configuration.firstProviderHop ?? 2,
            case .answered(let address, _, isDestination: false) = outcome
        else { return nil }
        let wasInDoubt = watches[run.turn.family]?.isInDoubt ?? false
        if watches[run.turn.family, default: AddressWatch()].take(address) { return .moved }
        return !wasInDoubt && watches[run.turn.family]?.isInDoubt == true ? .doubt : nil
    }

    /// Forgets what was measured over another uplink.
    private mutating func restart() {
        uplink += 1
        watches = [:]
        for (family, report) in found { found[family] = report.restarted }
    }
}

extension HopReport {
    /// With the counters alone.
    fileprivate var restarted: HopReport {
        var report = HopReport(family: family)
        report.hops = hops.map { old in
            var hop = Hop(distance: old.distance)
            (hop.probes, hop.replies) = (old.probes, old.replies)
            return hop
        }
        return report
    }

    fileprivate mutating func add(
        _ outcome: HopOutcome,
        of distance: Int,
        sentAt: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) {
        if case .answered(_, _, let isDestination) = outcome {
            if isDestination {
                end = min(end ?? distance, distance)
            } else if end.map({ $0 <= distance }) ?? false {
                // The way is longer now.
                end = nil
            }
        }
        if distance <= end ?? distance {
            while hops.count < distance { hops.append(Hop(distance: hops.count + 1)) }
            hops[distance - 1].add(outcome, sentAt: sentAt, at: now)
        }
        // A probe that was to come farther ends at the destination, too.
        if let end { hops = Array(hops.prefix(end)) }
    }
}

extension HopReport.Hop {
    private static let mostAddresses = 4

    fileprivate mutating func add(
        _ outcome: HopOutcome,
        sentAt: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) {
        probes &+= 1
        lastProbeAt = max(lastProbeAt ?? sentAt, sentAt)
        let (address, roundTrip): (IPAddress, Duration?)
        switch outcome {
        case .answered(let by, let time, _): (address, roundTrip) = (by, time)
        // This hop itself: without a route, a router says that before it looks at the hop limit.
        case .refused(let refusal) where refusal.distance == distance: (address, roundTrip) = (refusal.sender, nil)
        case .refused, .silent, .unsent:
            window.push(nil, at: now)
            return
        }
        replies &+= 1
        lastReplyAt = now
        addresses = (addresses.filter { $0 != address } + [address]).suffix(Self.mostAddresses)
        // Neither a round trip nor a loss.
        guard let roundTrip else { return }
        window.push(roundTrip, at: now)
        minimum = min(minimum ?? roundTrip, roundTrip)
    }
}
