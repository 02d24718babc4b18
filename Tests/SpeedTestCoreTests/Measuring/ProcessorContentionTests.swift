import Lab
import Posix
import Testing

@testable import SpeedTestCore

struct ProcessorContentionTests {
    private static func read(_ files: [String: String], for thread: ThreadClock.Reading? = nil) throws
        -> ProcessorContention
    {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(name, text) }
        return .read(for: thread, procfs: folder.file("proc"), cgroups: folder.file("cgroup"))
    }

    @Test func `reads the stolen, the waiting and the throttled time`() throws {
        let stat = "cpu  10 20 30 40 50 60 70 1234 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n"
        let pressure =
            "some avg10=1.00 avg60=0.50 avg300=0.10 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
        let found = try Self.read([
            "proc/stat": stat, "proc/pressure/cpu": pressure, "proc/self/cgroup": "0::/system.slice/nhe.service\n",
            "cgroup/system.slice/nhe.service/cpu.stat": "usage_usec 5\nnr_throttled 2\nthrottled_usec 30000\n",
        ])
        #expect(
            found
                == ProcessorContention(
                    stolen: .milliseconds(12_340),
                    waiting: .milliseconds(2500),
                    throttled: .milliseconds(30)
                )
        )
    }

    @Test func `other programs that wait do not count where the waits of the load's own thread are known`() throws {
        let pressure = ["proc/pressure/cpu": "some avg10=90.00 avg60=90.00 avg300=90.00 total=9000000\n"]
        let known = ThreadClock.Reading(ran: .milliseconds(200), waited: .milliseconds(500))
        #expect(known.busy == .milliseconds(700))
        #expect(try Self.read(pressure, for: known) == ProcessorContention())
        // Not counted by this kernel, or a thread of another library.
        let unknown = ThreadClock.Reading(ran: .milliseconds(200), waited: nil)
        for thread in [unknown, nil] {
            #expect(try Self.read(pressure, for: thread).isRelevant(since: ProcessorContention(), after: .seconds(10)))
        }
    }

    @Test func `reads the control group of version 1, and the root of the mount in a container`() throws {
        let first = try Self.read([
            "proc/self/cgroup": "4:memory:/a\n3:cpu,cpuacct:/a:b\n0::/\n",
            "cgroup/cpu,cpuacct/a:b/cpu.stat": "nr_periods 0\nthrottled_time 5000000\n",
        ])
        #expect(first.throttled == .milliseconds(5))
        let root = try Self.read([
            "proc/self/cgroup": "0::/kubepods/pod1\n", "cgroup/cpu.stat": "throttled_usec 9000\n",
        ])
        #expect(root.throttled == .milliseconds(9))
    }

    @Test(arguments: ["", "cpu", "cpu 1 2 3 4 5 6 7 x\n", "cpu  1 2 3 4 5 6 7 -9\n"])
    func `what a kernel does not have, and what is no number, counts as zero`(stat: String) throws {
        let found = try Self.read(["proc/stat": stat, "proc/pressure/cpu": stat, "proc/self/cgroup": stat])
        #expect(found == ProcessorContention())
        #expect(!found.isRelevant(since: ProcessorContention(), after: .zero))
    }
}
