import Locking
import Statistics

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
