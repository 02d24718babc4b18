import Lab
import Testing

@testable import NetworkHealthExporter

struct ProcessReaderTests {
    private func write(_ folder: TemporaryFolder, resident pages: Int) throws {
        try folder.write("self/stat", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 0 4096 \(pages) 0\n")
    }

    private func names(_ statistics: ProcessStatistics) -> [String] {
        printed(ProcessMetrics.families(statistics)).map { String($0.prefix { $0 != " " }) }
    }

    @Test func `has the names of the client libraries, and nothing that could not be read`() throws {
        let folder = try TemporaryFolder()
        try write(folder, resident: 1)
        #expect(
            try names(#require(ProcessStatistics(procfs: folder.path, bootTime: nil))) == [
                "process_cpu_seconds_total", "process_max_fds", "process_virtual_memory_bytes",
                "process_virtual_memory_max_bytes", "process_resident_memory_bytes",
            ]
        )
        #expect(
            try names(#require(ProcessStatistics(procfs: "/proc", bootTime: 1))) == [
                "process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_virtual_memory_bytes",
                "process_virtual_memory_max_bytes", "process_resident_memory_bytes", "process_start_time_seconds",
                "process_network_receive_bytes_total", "process_network_transmit_bytes_total",
            ]
        )
    }

    @Test func `reads at most once a second`() throws {
        let folder = try TemporaryFolder()
        let reader = ProcessReader(procfs: folder.path)
        let start = SuspendingClock().now
        try write(folder, resident: 1)
        let first = try reader.statistics(at: start)
        try write(folder, resident: 2)
        #expect(try reader.statistics(at: start.advanced(by: .milliseconds(999))) == first)
        let second = try reader.statistics(at: start.advanced(by: .seconds(1)))
        #expect(second.residentBytes == 2 * first.residentBytes)
    }

    @Test func `the time of boot is read once, for it is the clock that would change it`() throws {
        let folder = try TemporaryFolder()
        try write(folder, resident: 1)
        try folder.write("stat", "cpu 1\nbtime 1700000000\n")
        let reader = ProcessReader(procfs: folder.path)
        let start = SuspendingClock().now
        #expect(try reader.statistics(at: start).startTime == 1_700_000_000)
        try folder.write("stat", "cpu 1\nbtime 1800000000\n")
        #expect(try reader.statistics(at: start.advanced(by: .seconds(1))).startTime == 1_700_000_000)
    }

    @Test func `without procfs it is an error that names the file`() throws {
        let error = #expect(throws: ProcfsError.self) { try ProcessReader(procfs: "/nonexistent").statistics(at: .now) }
        #expect(error?.description == "/nonexistent/self/stat cannot be read: expected procfs there (--path.procfs)")
    }
}
