import Glibc
import Posix
import Statistics

/// The time for which processors were withheld from what measures, up to one moment.
///
/// A rate that was measured meanwhile is a lower bound: the sender or the receiver may have waited, not the network.
struct ProcessorContention: Sendable, Equatable {
    /// Taken by the hypervisor for others, the sum over all processors (proc_stat(5), `steal`).
    var stolen = Duration.zero
    /// With at least one runnable task without a processor (Documentation/accounting/psi.rst, `some`); zero without PSI.
    ///
    /// That other programs wait does not limit a rate: on a slow line the thread of the load sleeps meanwhile. Zero
    /// therefore also where it is known how long that thread has waited, which then counts as busy.
    var waiting = Duration.zero
    /// Of this process's control group, beyond its quota (Documentation/admin-guide/cgroup-v2.rst, `throttled_usec`).
    var throttled = Duration.zero

    /// A rate is a lower bound if the processors were withheld for more than this share of the window.
    private static let limit = 0.25

    /// Whether the processors were withheld for a relevant part of the time since `start`.
    func isRelevant(since start: ProcessorContention, after elapsed: Duration) -> Bool {
        guard elapsed > .zero else { return false }
        return [stolen - start.stolen, waiting - start.waiting, throttled - start.throttled].contains {
            $0 / elapsed > Self.limit
        }
    }
}

extension ProcessorContention {
    /// Reads the kernel's counters; what a kernel does not have counts as zero.
    ///
    /// `thread` is the one that moves the load; nil: not known.
    static func read(
        for thread: ThreadClock.Reading?,
        procfs: String = "/proc",
        cgroups: String = "/sys/fs/cgroup"
    ) -> ProcessorContention {
        var contention = ProcessorContention()
        // user nice system idle iowait irq softirq steal, in ticks.
        let processors =
            SmallFile.text("\(procfs)/stat", limit: 1 << 20)?.prefix { $0 != "\n" }.split(separator: " ") ?? []
        let ticks = Int64(sysconf(Int32(_SC_CLK_TCK)))
        if processors.count > 8, processors[0] == "cpu", let steal = Int64(processors[8]), steal >= 0, ticks > 0 {
            contention.stolen = .seconds(steal) / Int(ticks)
        }
        if thread?.waited == nil {
            contention.waiting = waiting(in: SmallFile.text("\(procfs)/pressure/cpu") ?? "")
        }
        contention.throttled = throttled(in: SmallFile.text("\(procfs)/self/cgroup") ?? "", cgroups: cgroups)
        return contention
    }

    /// Reads the microseconds of a line such as `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`.
    private static func waiting(in pressure: String) -> Duration {
        let words = pressure.prefix { $0 != "\n" }.split(separator: " ")
        guard words.first == "some", let total = words.last, total.hasPrefix("total="),
            let microseconds = Int64(total.dropFirst(6)), microseconds >= 0
        else { return .zero }
        return .microseconds(microseconds)
    }

    /// In a container the path of `/proc/self/cgroup` may not be visible, and the group is the root of the mount.
    private static func throttled(in memberships: String, cgroups: String) -> Duration {
        for line in memberships.split(separator: "\n") {
            // 0::/path, or 1:cpu,cpuacct:/path of version 1.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isVersion1 = parts[1].split(separator: ",").contains("cpu")
            guard isVersion1 || parts[0] == "0" else { continue }
            let mount = isVersion1 ? "\(cgroups)/\(parts[1])" : cgroups
            let text = SmallFile.text("\(mount)\(parts[2])/cpu.stat") ?? SmallFile.text("\(mount)/cpu.stat") ?? ""
            for field in text.split(separator: "\n") {
                let words = field.split(separator: " ")
                guard words.count == 2, let number = Int64(words[1]), number >= 0 else { continue }
                if words[0] == "throttled_usec" { return .microseconds(number) }
                if words[0] == "throttled_time" { return .nanoseconds(number) }
            }
        }
        return .zero
    }
}
