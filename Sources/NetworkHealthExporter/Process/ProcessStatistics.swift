import Glibc
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
    ///
    /// - Parameters:
    ///   - procfs: the mount point.
    ///   - bootTime: seconds since the epoch.
    init?(procfs: String, bootTime: Double?) {
        guard let stat = SmallFile.text("\(procfs)/self/stat"), let usage = Usage(stat) else { return nil }
        cpuSeconds = usage.cpuSeconds
        virtualBytes = usage.virtualBytes
        residentBytes = usage.residentBytes
        startTime = bootTime.map { $0 + usage.startedAfterBoot }
        openDescriptors = Self.entries(of: "\(procfs)/self/fd")
        maximumDescriptors = Self.softLimit(RLIMIT_NOFILE)
        maximumVirtualBytes = Self.softLimit(RLIMIT_AS)
        if let netstat = try? SmallFile.read("\(procfs)/self/net/netstat") {
            (receivedBytes, transmittedBytes) = Self.ipBytes(netstat)
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
            guard let command = stat.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let fields = stat.utf8[stat.utf8.index(after: command)...].split(separator: UInt8(ascii: " "))
            func number(_ field: Int) -> UInt64? {
                // proc_pid_stat(5) numbers fields from 1; the first one here is number 3.
                fields.indices.contains(field - 3) ? UInt64(Substring(fields[field - 3])) : nil
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
    static func bootTime(_ stat: [UInt8]) -> Double? {
        lines(of: stat, "btime ").first.flatMap { Double(String(decoding: $0.dropFirst(6), as: UTF8.self)) }
    }

    /// Of the two `IpExt:` lines of `/proc/self/net/netstat`, which have names and numbers.
    static func ipBytes(_ netstat: [UInt8]) -> (received: UInt64?, transmitted: UInt64?) {
        let rows = lines(of: netstat, "IpExt:").map { $0.split(separator: UInt8(ascii: " ")) }
        func number(_ name: String) -> UInt64? {
            guard rows.count == 2, let column = rows[0].firstIndex(where: { $0.elementsEqual(name.utf8) }),
                rows[1].indices.contains(column)
            else { return nil }
            return UInt64(String(decoding: rows[1][column], as: UTF8.self))
        }
        return (number("InOctets"), number("OutOctets"))
    }

    /// The lines that begin with a text.
    ///
    /// By bytes: a scrape waits for it, and dividing a `String` takes ten times as long.
    private static func lines(of file: [UInt8], _ beginning: String) -> [ArraySlice<UInt8>] {
        file.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: beginning.utf8) }
    }

    private static func softLimit(_ resource: __rlimit_resource) -> UInt64? {
        var limits = rlimit()
        // RLIM_INFINITY is the largest number.
        return getrlimit(__rlimit_resource_t(resource.rawValue), &limits) == 0 ? UInt64(limits.rlim_cur) : nil
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
