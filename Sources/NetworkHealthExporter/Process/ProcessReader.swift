import Locking

/// Reads the statistics of this process, at most once a second however often it is scraped.
final class ProcessReader: Sendable {
    private struct Reading {
        var statistics: ProcessStatistics?
        var readAt: SuspendingClock.Instant?
    }

    private let procfs: String
    private let last = Locked(Reading())

    init(procfs: String) { self.procfs = procfs }

    func statistics(at now: SuspendingClock.Instant) -> ProcessStatistics? {
        last.withLock { last in
            if let readAt = last.readAt, now < readAt.advanced(by: .seconds(1)) { return last.statistics }
            last = Reading(statistics: ProcessStatistics(procfs: procfs), readAt: now)
            return last.statistics
        }
    }
}
