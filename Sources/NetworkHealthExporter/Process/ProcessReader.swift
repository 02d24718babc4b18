import Coordination
import Glibc
import Posix

/// A file of procfs that is missing or not as in proc(5).
struct ProcfsError: Error, CustomStringConvertible {
    let file: String

    var description: String { "\(file) cannot be read: expected procfs there (--path.procfs)" }
}

/// Reads the statistics of this process, at most once a second however often it is scraped.
final class ProcessReader: Sendable {
    private struct Reading {
        var statistics: ProcessStatistics?
        var readAt: SuspendingClock.Instant?
        var boot = BootTime()
    }

    private let procfs: String
    private let last = Locked(Reading())

    init(procfs: String) { self.procfs = procfs }

    /// Throws `ProcfsError` where there is nothing to read.
    func statistics(at now: SuspendingClock.Instant) throws -> ProcessStatistics {
        let statistics = last.withLock { last in
            if let readAt = last.readAt, now < readAt.advanced(by: .seconds(1)) { return last.statistics }
            let bootTime = last.boot.read(procfs: procfs)
            last.statistics = ProcessStatistics(procfs: procfs, bootTime: bootTime)
            last.readAt = now
            return last.statistics
        }
        guard let statistics else { throw ProcfsError(file: "\(procfs)/self/stat") }
        return statistics
    }
}

/// When the machine started; read again only after the clock was set, since `/proc/stat` has a line for each processor.
private struct BootTime {
    private var seconds: Double?
    /// The wall clock above that since boot, in nanoseconds, at the last reading.
    private var offset: Int64?

    /// Seconds since the epoch; nil where it is hidden.
    mutating func read(procfs: String) -> Double? {
        let wall = KernelClock.nanoseconds(of: CLOCK_REALTIME) ?? 0
        let offset = wall - (KernelClock.nanoseconds(of: CLOCK_BOOTTIME) ?? 0)
        if let last = self.offset, abs(offset - last) < 500_000_000 { return seconds }
        seconds = (try? SmallFile.read("\(procfs)/stat", limit: 1 << 20)).flatMap(ProcessStatistics.bootTime)
        self.offset = offset
        return seconds
    }
}
