import Locking

/// A file of procfs that is not there or not as proc(5) says.
struct ProcfsError: Error, CustomStringConvertible {
    let file: String

    var description: String { "\(file) cannot be read: expected procfs there (--path.procfs)" }
}

/// Reads the statistics of this process, at most once a second however often it is scraped.
final class ProcessReader: Sendable {
    private struct Reading {
        var statistics: ProcessStatistics?
        var readAt: SuspendingClock.Instant?
    }

    private let procfs: String
    private let last = Locked(Reading())

    init(procfs: String) { self.procfs = procfs }

    /// Throws `ProcfsError` where there is nothing to read.
    func statistics(at now: SuspendingClock.Instant) throws -> ProcessStatistics {
        let statistics = last.withLock { last in
            if let readAt = last.readAt, now < readAt.advanced(by: .seconds(1)) { return last.statistics }
            last = Reading(statistics: ProcessStatistics(procfs: procfs), readAt: now)
            return last.statistics
        }
        guard let statistics else { throw ProcfsError(file: "\(procfs)/self/stat") }
        return statistics
    }
}
