import Glibc
import Locking
import Posix

/// The kernel's statistics of this process (proc(5)).
struct ProcessStatistics: Sendable, Equatable {
    var cpuSeconds: Double
    var virtualBytes: UInt64
    var residentBytes: UInt64
    /// Seconds since the epoch; nil where the time of boot is hidden.
    var startTime: Double?
    var openDescriptors: UInt64?
    /// The soft limit.
    var maximumDescriptors: UInt64?
    /// The soft limit of the address space; without one, the kernel's largest number.
    var maximumVirtualBytes: UInt64?
    /// IP payload of the whole network namespace, as the Prometheus client libraries count it.
    var receivedBytes: UInt64?
    var transmittedBytes: UInt64?

    /// Reads `self` below the mount point of procfs; nil where it cannot be read.
    init?(procfs: String) {
        guard let stat = SmallFile.text("\(procfs)/self/stat"), let usage = Usage(stat) else { return nil }
        cpuSeconds = usage.cpuSeconds
        virtualBytes = usage.virtualBytes
        residentBytes = usage.residentBytes
        startTime = SmallFile.text("\(procfs)/stat", limit: 1 << 20).flatMap(Self.bootTime).map {
            $0 + usage.startedAfterBoot
        }
        openDescriptors = Self.entries(of: "\(procfs)/self/fd")
        if let limits = SmallFile.text("\(procfs)/self/limits") {
            maximumDescriptors = Self.softLimit("Max open files", in: limits)
            maximumVirtualBytes = Self.softLimit("Max address space", in: limits)
        }
        if let netstat = SmallFile.text("\(procfs)/self/net/netstat") {
            receivedBytes = Self.ipExtension("InOctets", in: netstat)
            transmittedBytes = Self.ipExtension("OutOctets", in: netstat)
        }
    }

    /// The fields of `/proc/self/stat` that are used.
    struct Usage: Equatable {
        var cpuSeconds: Double
        var startedAfterBoot: Double
        var virtualBytes: UInt64
        var residentBytes: UInt64

        /// Fields are counted from the command's closing parenthesis: the command may contain any character.
        init?(_ stat: String) {
            guard let command = stat.lastIndex(of: ")") else { return nil }
            let fields = stat[stat.index(after: command)...].split(whereSeparator: \.isWhitespace)
            func number(_ field: Int) -> UInt64? {
                // proc_pid_stat(5) numbers fields from 1; the first one here is number 3.
                fields.indices.contains(field - 3) ? UInt64(fields[field - 3]) : nil
            }
            guard let user = number(14), let system = number(15), let start = number(22), let virtual = number(23),
                let pages = number(24)
            else { return nil }
            let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
            cpuSeconds = (Double(user) + Double(system)) / ticks
            startedAfterBoot = Double(start) / ticks
            virtualBytes = virtual
            residentBytes = pages.multipliedReportingOverflow(by: UInt64(getpagesize())).partialValue
        }
    }

    /// `btime` of `/proc/stat`.
    static func bootTime(_ stat: String) -> Double? {
        stat.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    /// The soft column of a line of `/proc/self/limits`.
    static func softLimit(_ name: String, in limits: String) -> UInt64? {
        guard let line = limits.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let soft = line.dropFirst(name.count).split(separator: " ").first
        else { return nil }
        return soft == "unlimited" ? .max : UInt64(soft)
    }

    /// A number of the two `IpExt:` lines of `/proc/self/net/netstat`.
    static func ipExtension(_ name: String, in netstat: String) -> UInt64? {
        let lines = netstat.split(separator: "\n").filter { $0.hasPrefix("IpExt:") }
        guard lines.count == 2, let column = lines[0].split(separator: " ").firstIndex(of: name[...]) else {
            return nil
        }
        let values = lines[1].split(separator: " ")
        return values.indices.contains(column) ? UInt64(values[column]) : nil
    }

    private static func entries(of directory: String) -> UInt64? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var count: UInt64 = 0
        while readdir(stream) != nil { count += 1 }
        // Without `.`, `..` and the descriptor of this listing.
        return count < 3 ? 0 : count - 3
    }
}

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
