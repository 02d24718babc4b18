import Coordination
import Netlink
package import Statistics

/// The results of the loop's thread for all readers: the latest path, the counts, the last failure.
final class PathOutput: Sendable {
    let updates = Broadcast<PathUpdate>()
    let statistics = Locked(PathStatistics())
    let devices = Locked(DeviceReading())
    /// Why the kernel cannot be read at this moment; nil while it can.
    let failures = Broadcast<String?>(.some(nil))
    /// How often the machine or this process woke up, sent each time it does.
    let resumes = Broadcast<UInt64>()
    /// The ways out of this host.
    let waysOut = Broadcast<[WayOut]>()
    private let onUpdate: @Sendable (PathUpdate) -> Void
    /// Called before each wait of the loop, with the time at which it runs again.
    let onWait: @Sendable (SuspendingClock.Instant) -> Void
    private let onEnd: @Sendable () -> Void

    init(
        onUpdate: @escaping @Sendable (PathUpdate) -> Void,
        onWait: @escaping @Sendable (SuspendingClock.Instant) -> Void = { _ in },
        onEnd: @escaping @Sendable () -> Void
    ) {
        (self.onUpdate, self.onWait, self.onEnd) = (onUpdate, onWait, onEnd)
    }

    /// Counts an update and hands it out, first to the owner, on the calling thread.
    func publish(_ update: PathUpdate) {
        statistics.withLock { statistics in
            for field in update.changes { statistics.changes[field, default: 0] += 1 }
            statistics.settleDelay.observe(update.settleDelay)
        }
        onUpdate(update)
        updates.send(update)
    }

    /// Forgets the path of a run that has ended: it is not known any more.
    func end() {
        updates.forget()
        waysOut.forget()
        failures.forget()
        statistics.withLock { $0.isNetlinkUp = false }
        onEnd()
    }

    /// Reports the ways out; the same ones again are not sent.
    func report(_ found: [WayOut]) {
        if waysOut.current != found { waysOut.send(found) }
    }

    /// Reports whether the kernel can be read; the same failure again is not sent.
    func report(failure: String?) {
        if failures.current != .some(failure) { failures.send(failure) }
        statistics.withLock { $0.isNetlinkUp = failure == nil }
    }

    func count(_ events: [PathStatistics.RawEvent: UInt64]) {
        guard !events.isEmpty else { return }
        statistics.withLock { $0.rawEvents.merge(events, uniquingKeysWith: +) }
    }

    func count(_ resync: PathStatistics.Resync, _ times: UInt64 = 1) {
        let count = statistics.withLock { statistics in
            statistics.resyncs[resync, default: 0] += times
            return statistics.resyncs[resync, default: 0]
        }
        if resync == .resume { resumes.send(count) }
    }
}

/// The counts of a monitor since it was made.
package struct PathStatistics: Sendable, Equatable {
    /// The kind of message that arrived from the kernel or NetworkManager.
    package enum RawEvent: String, Sendable, CaseIterable {
        case link, address, route, rule, nexthop, metered

        /// Nil for one that is not counted.
        init?(_ event: RouteEvent) {
            switch event {
            case .link, .linkDeleted: self = .link
            case .address, .addressDeleted: self = .address
            case .route, .routeDeleted: self = .route
            case .rule: self = .rule
            case .nexthop: self = .nexthop
            case .ndUserOption, .other: return nil
            }
        }
    }

    /// Why everything was read again.
    package enum Resync: String, Sendable, CaseIterable {
        /// The kernel dropped messages (ENOBUFS).
        case overrun
        /// A dump was interrupted by a change (NLM_F_DUMP_INTR) and repeated.
        case dumpInterrupted = "dump_intr"
        /// The regular check for drift.
        case periodic
        /// The machine slept, or this process was stopped.
        case resume
    }

    package var rawEvents: [RawEvent: UInt64] = [:]
    /// Events about links, routes and what decides among them; also those that change no path.
    package var changesOfWay: UInt64 {
        [.link, .route, .rule, .nexthop].reduce(0) { $0 + rawEvents[$1, default: 0] }
    }
    package var changes: [PathUpdate.Field: UInt64] = [:]
    package var resyncs: [Resync: UInt64] = [:]
    /// How often a regular check found a state other than the events had reported.
    package var drift: UInt64 = 0
    package var isNetlinkUp = false
    /// nil where NetworkManager is not watched.
    package var isNetworkManagerUp: Bool?
    /// From the first event of a change to its publication, holds included.
    package var settleDelay = DurationHistogram(bounds: delayBounds)

    package init() {}

    /// In seconds: from a scheduler tick to a long hold.
    package static let delayBounds = [0.000_1, 0.000_5, 0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
}
