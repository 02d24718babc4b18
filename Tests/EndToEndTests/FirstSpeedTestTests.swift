import Foundation
import Glibc
import Testing

/// A line of 100 Mbit/s, an exporter that has a server at its other end by one variable, and a file to store in.
private struct FirstTestLab {
    static let environment = ["NHE_SPEEDTEST_SERVER": "speedlab+http://\(RelayedLink.far):10319/speedtest"]

    let host: Namespace
    let flags: [String]
}

private func withFirstTestLab(_ body: (FirstTestLab) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try await withSpeedLab(delay: .milliseconds(5), up: 100_000_000, down: 100_000_000) { lab in
        try await body(FirstTestLab(host: lab.link.host, flags: ["--storage.path=\(folder.path)/exporter.db"]))
    }
}

/// The parts of the answer of `/health` that say what is missing.
private struct HealthNotice: Decodable {
    var notice: String?
    var recommendation: String

    init(of exporter: ExporterProcess, _ requirement: String = "online") async throws {
        let body = try await exporter.request("/health?format=json&requirement=\(requirement)").body
        self = try JSONDecoder().decode(Self.self, from: Data(body.utf8))
    }
}

extension EndToEndTimingTests {
    @Suite(.timeLimit(.minutes(3))) struct FirstSpeedTest {
        private struct Estimate: Decodable {
            var estimatedBytesPerMonth: Int?
            var estimate: String?
        }

        @Test func `a line of 100 Mbit/s is known to be excellent within 75 s of the start`() async throws {
            try await withFirstTestLab { lab in
                let start = ContinuousClock.now
                try await withExporter(lab.flags, in: lab.host, environment: FirstTestLab.environment) { exporter in
                    try await exporter.waitUntilReady()
                    try await poll("the open gate", within: .seconds(100)) {
                        // Requests use the cores that measure.
                        try await Task.sleep(for: .milliseconds(250))
                        return try await exporter.request("/health?requirement=largeDownload").status == 200
                            ? true : nil
                    }
                    #expect(start.duration(to: .now) < .seconds(75))
                    #expect(exporter.log.contains("Scheduled the first speed test in 30 s, at most 500 MB"))
                    try await poll("the usage of a month in the log") {
                        exporter.log.contains("a month at this line's speed") ? true : nil
                    }
                    let last = Data(try await exporter.request("/api/v1/speedtest").body.utf8)
                    let estimate = try JSONDecoder().decode(Estimate.self, from: last)
                    #expect(try #require(estimate.estimatedBytesPerMonth) <= 20_000_000_000)
                    #expect(exporter.log.contains(try #require(estimate.estimate)))
                    #expect(try await HealthNotice(of: exporter).notice == nil)
                }
            }
        }
    }
}

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(1))) struct FirstSpeedTest {
        @Test func `a process that is killed in its first test, again and again, repeats it minutes later`()
            async throws
        {
            let configuration = """
                \(ExporterProcess.quiet)speedtest: { initial_delay: 1s }

                """
            try await withFirstTestLab { lab in
                var (start, planned) = (0.0, [Double]())
                for process in 0..<4 {
                    let exporter = try await ExporterProcess(
                        lab.flags,
                        configuration: configuration,
                        in: lab.host,
                        environment: FirstTestLab.environment
                    )
                    if process == 0 {
                        start = try await exporter.startTime()
                        try await poll("the first test") {
                            try await exporter.speedTestSample("receive_bytes_total") > 1_000_000 ? true : nil
                        }
                    } else {
                        // Longer than the delay of a first test that is not planned yet.
                        try await Task.sleep(for: .seconds(4))
                        #expect(try await exporter.speedTestSample("runs_total", "in_progress") == 0)
                    }
                    planned.append(try await exporter.speedTestSample("next_run_timestamp_seconds"))
                    exporter.program.signal(SIGKILL)
                    #expect(try await exporter.program.status() == -SIGKILL)
                }
                #expect(Set(planned).count == 1, "\(planned)")
                // After the first start: how long the others took is not in question.
                #expect(planned[0] > start + 570, "planned \(planned), started at \(start)")
            }
        }

        @Test func `without a server the log and the gate's answer say what is missing`() async throws {
            try await withNetwork { host in
                try await withExporter(in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let notice = try #require(try await HealthNotice(of: exporter).notice)
                    #expect(notice.contains("largeDownload and largeUpload"))
                    try await poll("the notice in the log") { exporter.log.contains(notice) ? true : nil }
                    let advice = try await poll("the advice of a line that is online") {
                        let advice = try await HealthNotice(of: exporter, "largeDownload").recommendation
                        return advice.hasPrefix("No recent speed measurement") ? advice : nil
                    }
                    for offer in ["cloudflare", "mlab", "20 GB a month"] {
                        #expect(advice.contains(offer) && notice.contains(offer))
                    }
                    #expect(try await !HealthNotice(of: exporter).recommendation.contains("cloudflare"))
                }
            }
        }
    }
}

extension ExporterProcess {
    /// When it was started: seconds since 1970.
    fileprivate func startTime() async throws -> Double {
        try #require(try await sample("process_start_time_seconds").flatMap(Double.init))
    }
}
