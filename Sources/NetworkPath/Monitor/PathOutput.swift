import Locking
package import Statistics

/// Where the loop's thread leaves what others read: the latest path, the counts, the last failure.
final class PathOutput: Sendable {
    let updates = Broadcast<PathUpdate>()
    let statistics = Locked(PathStatistics())
    /// Why the kernel cannot be read at this moment; nil while it can.
    let failures = Broadcast<String?>(.some(nil))
    /// What was recorded when somebody last asked.
    let recorded = Broadcast<RawState>()
    /// How often the machine woke up, told each time it does.
    let resumes = Broadcast<UInt64>()
    private let onUpdate: @Sendable (PathUpdate) -> Void

    init(onUpdate: @escaping @Sendable (PathUpdate) -> Void) {
        self.onUpdate = onUpdate
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

    /// Says whether the kernel can be read; the same word again is not told.
    func report(failure: String?) {
        statistics.withLock { $0.isNetlinkUp = failure == nil }
        if failures.current != .some(failure) { failures.send(failure) }
    }

    func count(_ event: PathStatistics.RawEvent, _ times: UInt64 = 1) {
        statistics.withLock { $0.rawEvents[event, default: 0] += times }
    }

    func count(_ resync: PathStatistics.Resync, _ times: UInt64 = 1) {
        let count = statistics.withLock { statistics in
            statistics.resyncs[resync, default: 0] += times
            return statistics.resyncs[resync, default: 0]
        }
        if resync == .resume { resumes.send(count) }
    }
}

/// What a monitor has counted since it was made.
package struct PathStatistics: Sendable, Equatable {
    /// What kind of kernel or daemon message arrived.
    package enum RawEvent: String, Sendable, CaseIterable {
        case link, address, route, rule, nexthop, metered
    }

    /// Why everything was read again.
    package enum Resync: String, Sendable, CaseIterable {
        /// The kernel dropped messages (ENOBUFS).
        case overrun
        /// A dump was interrupted by a change (NLM_F_DUMP_INTR) and repeated.
        case dumpInterrupted = "dump_intr"
        /// The regular check for drift.
        case periodic
        /// The machine slept.
        case resume
    }

    package var rawEvents: [RawEvent: UInt64] = [:]
    package var changes: [PathUpdate.Field: UInt64] = [:]
    package var resyncs: [Resync: UInt64] = [:]
    /// How often a regular check found a state other than the events had told.
    package var drift: UInt64 = 0
    package var isNetlinkUp = false
    /// nil where NetworkManager is not watched.
    package var isNetworkManagerUp: Bool?
    /// From the first event of a change to its publication, holds included.
    package var settleDelay = DurationHistogram(bounds: delayBounds)
    /// The devices that carried the path, by name.
    package var devices: [String: DeviceCounters] = [:]

    package init() {}

    /// In seconds: from a scheduler tick to a long hold.
    package static let delayBounds = [0.000_1, 0.000_5, 0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
}
