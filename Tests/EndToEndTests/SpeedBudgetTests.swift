import Glibc
import Testing

extension EndToEndTimingTests {
    /// What speed tests may cost, beside what the link between two exporters really carried.
    @Suite(.timeLimit(.minutes(2))) struct SpeedBudget {
        private static let rate = 20_000_000
        private static let remaining = #"budget_remaining_bytes{period="day"}"#

        private func withLab<Result>(
            rate: Int = rate,
            _ body: (SpeedLab) async throws -> Result
        ) async throws -> Result {
            try await withSpeedLab(delay: .milliseconds(10), up: rate, down: rate, body)
        }

        private func exporter(_ lab: SpeedLab, _ configuration: String, storage: String) async throws -> ExporterProcess
        {
            let flags = ["--web.enable-admin-api", "--storage.path=\(storage)"]
            let exporter = try await ExporterProcess(flags, configuration: configuration, in: lab.link.host)
            try await exporter.waitUntilReady()
            return exporter
        }

        @Test func `a path that becomes expensive ends a test, whose bytes are charged`() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("expensive", "0")
            let configuration = SpeedLab.configuration(
                path: "{ expensive_file: \(file) }",
                budget: "{ per_run: 500MB, per_day: 1GB }"
            )
            try await withLab { lab in
                try await withExporter(
                    ["--web.enable-admin-api"],
                    configuration: configuration,
                    in: lab.link.host
                ) { exporter in
                    try await exporter.waitUntilReady()
                    try await exporter.makeSpeedTest(move: 2_000_000)
                    #expect(rename(try folder.write("new", "1"), file) == 0)
                    let end = try await lateness(of: "the end of the test", since: .now) {
                        try await exporter.speedTestSample(#"failures_total{reason="cancelled"}"#) == 1
                    }
                    #expect(end < .seconds(2))
                    let carried = try await lab.carriedInTheEnd()
                    let used = 1e9 - (try await exporter.speedTestSample(Self.remaining))
                    // What was under way when the connections ended came out of the link, and no process got it.
                    let buffered = Double(Self.rate) / 8 * 0.4
                    #expect(used >= 0.99 * Double(carried.total) - buffered, "used \(used), carried \(carried)")
                    #expect(used <= 1.01 * Double(carried.total), "used \(used), carried \(carried)")
                    #expect(try await exporter.speedTestSample("in_progress") == 0)
                    #expect(try await exporter.startSpeedTest() == 409)
                    #expect(try await exporter.speedTestSample(#"skipped_total{reason="expensive"}"#) == 1)
                }
            }
        }

        @Test func `a test that is killed is charged, and starting again and again starts no test`() async throws {
            let folder = try TemporaryFolder()
            let configuration = SpeedLab.configuration(
                schedule: "{ interval: 20m }\n  jitter: 0s\n  min_gap: 10m",
                budget: "{ per_run: 500MB, per_day: 1GB }"
            )
            let storage = "\(folder.path)/exporter.db"
            let rate = 50_000_000
            try await withLab(rate: rate) { lab in
                // The grid begins with the process, whole seconds before or not.
                let start = try #require(Double(try await output(of: ["date", "+%s"]).filter { $0 != "\n" }))
                let first = try await exporter(lab, configuration, storage: storage)
                // More than is written down before the rate is known.
                try await first.makeSpeedTest(move: 40_000_000)
                first.program.signal(SIGKILL)
                #expect(try await first.program.status() == -SIGKILL)
                let carried = Double(try await lab.carriedInTheEnd().total)

                var used: [Double] = []
                for _ in 0..<3 {
                    let again = try await exporter(lab, configuration, storage: storage)
                    used.append(1e9 - (try await again.speedTestSample(Self.remaining)))
                    #expect(try await again.speedTestSample("runs_total", "in_progress") == 0)
                    #expect(try await again.speedTestSample("next_run_timestamp_seconds") >= start + 600)
                    again.program.signal(SIGKILL)
                    _ = try await again.program.status()
                }
                #expect(used == Array(repeating: used[0], count: 3))
                #expect(used[0] >= carried, "used \(used), carried \(carried)")
                let ahead = max(32e6, 3 * Double(rate) / 8)
                #expect(used[0] <= 1.05 * carried + ahead, "used \(used), carried \(carried)")
                #expect(try await lab.carried().total - Int(carried) < 10_000)
            }
        }

        @Test func `a test ends with its budget, the next is skipped, and both are known after a restart`() async throws
        {
            let folder = try TemporaryFolder()
            let configuration = SpeedLab.configuration(budget: "{ per_run: 10MB, per_day: 12MB }")
            let storage = "\(folder.path)/exporter.db"
            try await withLab { lab in
                let first = try await exporter(lab, configuration, storage: storage)
                let result = try await first.makeSpeedTest()
                let carried = try await lab.carriedInTheEnd().total
                #expect(result.error == nil)
                for transfer in [result.download, result.upload] {
                    // Where the machine's processors are busy, they are named, too.
                    #expect(transfer?.limitedBy.filter { $0 != "cpu" } == ["data_cap"])
                }
                #expect(carried <= 10_500_000)
                #expect(try await first.startSpeedTest() == 429)
                #expect(try await first.speedTestSample(#"skipped_total{reason="budget"}"#) == 1)
                let before = try await first.request("/metrics").samples
                #expect(try await first.stop() == 0)

                let second = try await exporter(lab, configuration, storage: storage)
                #expect(try await second.lastSpeedTest() == result)
                let after = try await second.request("/metrics").samples
                let labels = #"{server="lab",uplink="lab0"}"#
                for name in [
                    "last_run_timestamp_seconds\(labels)", "last_success_timestamp_seconds\(labels)",
                    "download_bytes_per_second\(labels)", "upload_bytes_per_second\(labels)", "success\(labels)",
                    "idle_latency_seconds\(labels)", "next_run_timestamp_seconds", Self.remaining,
                ] {
                    let series = "network_health_speedtest_\(name)"
                    #expect(before[series] != nil && before[series] == after[series], "\(series)")
                }
                #expect(try await second.stop() == 0)
            }
        }
    }
}
