import ArgumentParser
import FoundationEssentials
import Glibc
import NetworkHealth
import NetworkPath
import Probing
import PrometheusExposition
import SpeedTestCore

/// `snapshot`: evaluates once and prints the state.
struct Snapshot: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, prometheus
    }

    static let configuration = CommandConfiguration(
        abstract: "Evaluate the network now and print one snapshot.",
        discussion: "The output of --format prometheus is made for node_exporter's textfile collector."
    )

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var json = false

    @Option(help: "How to print it. (default: text)")
    var format: Format?

    @Flag(help: "Run a speed test against the configured servers first.")
    var speedTest = false

    @OptionGroup var evaluation: LocalEvaluation
    @OptionGroup var storage: StorageOptions

    /// The first round makes two attempts where no name resolves.
    private static let questionLimit = Duration.milliseconds(2300)

    func validate() throws {
        guard !json || format ?? .json == .json else {
            throw ValidationError("expected at most one of --json and --format")
        }
    }

    func run() async throws {
        let configuration = try evaluation.configuration()
        let section = configuration.speedTest
        guard !speedTest || !section.servers.isEmpty else {
            throw ValidationError(
                "--speed-test: expected \(FlagName.speedTestServer.variable), or a configuration file with speedtest.servers"
            )
        }
        try await evaluation.withMonitor(configuration, limit: Self.questionLimit) { host, _ in
            let monitor = host.health
            let state = try await LocalEvaluation.state(of: host, configuration)
            let tests = await speedTests(of: state, section)
            monitor.learn(tests, by: configuration)
            let satisfied = RequirementEvaluator(monitor: monitor, configuration: configuration).satisfied
            try write(monitor.current ?? state, tests.results, satisfied)
        }
    }

    /// A test that runs now, else those of the storage file.
    private func speedTests(of state: HealthState, _ section: SpeedTestSection) async -> SpeedTestState {
        guard speedTest else { return await storage.speedTests(section) }
        let uplink = SpeedTestNetwork(state).uplink
        let display = ProgressDisplay(isShown: isatty(STDERR_FILENO) == 1)
        if !display.isShown { StandardError.write("Running a speed test; it takes up to a minute for each server\n") }
        let test = CommandSpeedTest(section: section, directions: section.directions, uplink: uplink, display: display)
        let report = await test.run(section.servers)
        // The snapshot itself does not report the failure of a test.
        if let report, let failure = report.failure { StandardError.write("\(report.server): \(failure)\n") }
        let reports = report.map { [$0] } ?? []
        return SpeedTestState(section: section, saved: SpeedTestHistory.Saved(reports: reports), now: .now)
    }

    private func write(
        _ state: HealthState,
        _ speedTests: SpeedTestResults,
        _ satisfied: [RequirementEvaluator.Satisfied]
    ) throws(ExitCode) {
        let uplink = SpeedTestNetwork(state).uplink
        let form: Format = json ? .json : format ?? .text
        switch form {
        case .text: try StandardOutput.write(SnapshotText.text(state, speedTests.uplink(uplink)?.rates ?? [:]))
        case .json: try StandardOutput.write(String(decoding: SnapshotDocument(state).json, as: UTF8.self) + "\n")
        case .prometheus:
            var encoder = ExpositionEncoder()
            let families =
                ConnectivityMetrics.families(state) + PathMetrics.families(state)
                + InternetMetrics.verdict(state.internet)
                + QualityMetrics.quality(state.assessment) + QualityMetrics.requirements(satisfied)
                + SpeedTestMetrics.measured(speedTests.servers.filter { $0.last.uplink == uplink })
            try StandardOutput.write(raw: String(decoding: encoder.encode(families, as: .text), as: UTF8.self))
        }
    }
}
