import Glibc
import Lab
import Testing

@testable import NetworkHealthExporter

struct ProcessStatisticsTests {
    /// proc_pid_stat(5) with a command that holds what separates fields.
    private static let stat = """
        4711 (evil ) 1 (x) name) S 1 4711 4711 0 -1 4194560 5000 0 12 0 250 50 0 0 20 0 5 0 1000 123456789 777 \
        18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0

        """

    private static let netstat = """
        TcpExt: SyncookiesSent InOctets
        TcpExt: 1 2
        IpExt: InNoRoutes InOctets OutOctets
        IpExt: 0 18446744073709551615 99

        """

    private let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))

    @Test func `the fields are counted from the command's end, whatever it contains`() throws {
        let usage = try #require(ProcessStatistics.Usage(Self.stat))
        #expect(usage.cpuSeconds == 300 / ticks)
        #expect(usage.startedAfterBoot == 1000 / ticks)
        #expect(usage.virtualBytes == 123_456_789)
        #expect(usage.residentBytes == 777 * UInt64(getpagesize()))
    }

    @Test(arguments: [
        "", "4711", "4711 (x", "4711 (x)", "4711 (x) S 1 2 3", ")", "((((",
        "(x) " + String(repeating: "-1 ", count: 50),
        "(x) " + String(repeating: "99999999999999999999 ", count: 50), "\u{0}\u{1}",
    ])
    func `garbage is no usage`(stat: String) {
        #expect(ProcessStatistics.Usage(stat) == nil)
    }

    @Test func `numbers at the limit do not trap`() throws {
        let largest = "(x) S " + String(repeating: "18446744073709551615 ", count: 50)
        #expect(try #require(ProcessStatistics.Usage(largest)).cpuSeconds > 0)
    }

    @Test(arguments: [
        ("cpu 1 2\nbtime 1700000000\nprocesses 5\n", 1_700_000_000.0), ("cpu 1\n", nil), ("", nil), ("btime x\n", nil),
        ("xbtime 1\n", nil),
    ])
    func `finds the time of boot`(stat: String, expected: Double?) {
        #expect(ProcessStatistics.bootTime(Array(stat.utf8)) == expected)
    }

    @Test func `finds a column of IpExt, not of a neighbour`() {
        func ipBytes(_ netstat: String) -> [UInt64?] {
            let bytes = ProcessStatistics.ipBytes(Array(netstat.utf8))
            return [bytes.received, bytes.transmitted]
        }
        #expect(ipBytes(Self.netstat) == [.max, 99])
        #expect(ipBytes("IpExt: OutOctets\nIpExt: 7\n") == [nil, 7])
        #expect(ipBytes("IpExt: InOctets\n") == [nil, nil])
        #expect(ipBytes("IpExt: InOctets OutOctets\nIpExt: 1\n") == [1, nil])
        #expect(ipBytes("IpExt: InOctets\nIpExt: -1\n") == [nil, nil])
        #expect(ipBytes("") == [nil, nil])
    }

    @Test func `reads the files below the given root`() throws {
        let folder = try TemporaryFolder()
        #expect(ProcessStatistics(procfs: folder.path, bootTime: nil) == nil)
        try folder.write("self/stat", Self.stat)
        let least = try #require(ProcessStatistics(procfs: folder.path, bootTime: nil))
        #expect(least.startTime == nil && least.openDescriptors == nil)
        #expect(least.receivedBytes == nil)
        try folder.write("self/net/netstat", Self.netstat)
        for number in 0..<5 { try folder.write("self/fd/\(number)", "") }
        let all = try #require(ProcessStatistics(procfs: folder.path, bootTime: 1_700_000_000))
        #expect(all.startTime == 1_700_000_000 + 1000 / ticks)
        // One of them would be the descriptor of the listing itself.
        #expect(all.openDescriptors == 4)
        #expect(all.receivedBytes == .max && all.transmittedBytes == 99)
    }

    @Test func `reads this process`() throws {
        let own = try ProcessReader(procfs: "/proc").statistics(at: .now)
        #expect(own.residentBytes > 0 && own.residentBytes <= own.virtualBytes)
        #expect(try #require(own.openDescriptors) > 0)
        let start = try #require(own.startTime)
        #expect(start > 1_600_000_000 && start <= Double(time(nil)) + 1)
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #expect(own.maximumDescriptors == UInt64(limits.rlim_cur))
        #expect(try #require(own.maximumVirtualBytes) >= own.virtualBytes)
    }
}
