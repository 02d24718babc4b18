import Glibc
import Lab
import Testing

extension EndToEndTimingTests {
    /// The start with 13 months of history.
    @Suite(.timeLimit(.minutes(2))) struct HistoryStart {
        /// Fills a file with ten points of each half hour, as most hosts never have.
        private static let fill = """
            import sqlite3, sys
            rows = sqlite3.connect(sys.argv[1])
            rows.executemany(
                "INSERT INTO latency_point (at, point, microseconds, lost, probes, seconds) VALUES (?, ?, ?, 1, 300, 1800)",
                ((1700000000 + 1800 * n, "hop %d ipv4" % p, 1000 + n % 997) for n in range(19000) for p in range(10)))
            rows.commit()
            """

        @Test(arguments: [SIGTERM, SIGKILL])
        func `it is less than 100 ms later than with an empty file, after an orderly end and after a kill`(
            _ signal: Int32
        ) async throws {
            let folder = try TemporaryFolder()
            let (empty, year) = (folder.file("empty.db"), folder.file("year.db"))
            func start(_ file: String) async throws -> Duration {
                let begin = ContinuousClock.now
                let exporter = try await ExporterProcess(["--storage.path=\(file)"])
                let time = begin.duration(to: .now)
                exporter.program.signal(signal)
                _ = try await exporter.program.status()
                return time
            }
            _ = try await start(year)
            try await output(of: ["python3", "-c", Self.fill, year])
            var times: (empty: [Duration], year: [Duration]) = ([], [])
            for _ in 0..<7 {
                times.empty.append(try await start(empty))
                times.year.append(try await start(year))
            }
            // What holds up a start only adds to it: the fastest of each are compared.
            let later = try #require(times.year.min()) - #require(times.empty.min())
            print("13 months of history after signal \(signal): \(later) later; \(times)")
            #expect(later < .milliseconds(100), "\(times)")
        }
    }
}
