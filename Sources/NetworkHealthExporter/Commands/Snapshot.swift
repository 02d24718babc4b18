import ArgumentParser
import FoundationEssentials
import Glibc
import NetworkHealth
import NetworkPath
import Probing
import PrometheusExposition
import SpeedTestCore

/// `snapshot`: evaluates once and prints what it found.
struct Snapshot: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, prometheus
    }

    static let configuration = CommandConfiguration(
        abstract: "Evaluate the network now and print one snapshot.",
        discussion: "With --format prometheus the output suits node_exporter's textfile collector."
    )

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var json = false

    @Option(help: "How to print it.")
    var format = Format.text

    @Flag(help: "Run a speed test against the configured servers first.")
    var speedTest = false

    @OptionGroup var evaluation: Evaluation
    @OptionGroup var storage: StorageOptions

    /// The first round asks twice where no name resolves.
    private static let questionLimit = Duration.milliseconds(2300)

    func run() async throws {
        let configuration = try evaluation.configuration()
        let section = configuration.speedTest
        guard !speedTest || !section.servers.isEmpty else {
            throw ValidationError("--speed-test: expected a configuration file with speedtest.servers")
        }
        try await evaluation.withMonitor(configuration, limit: Self.questionLimit) { host in
            let monitor = host.health
            guard let state = await monitor.firstState(within: Evaluation.limit, isEnough: \.isComplete) else {
                throw EvaluationError(reason: host.path.failure)
            }
            let records = await speedTests(of: state, section)
            for record in records { monitor.learn(record) }
            let satisfied = RequirementEvaluator(monitor: monitor, configuration: configuration).satisfied
            try write(monitor.current ?? state, records, satisfied)
        }
    }

    /// A test made now, else those of the storage file; none where none was made over this uplink.
    private func speedTests(of state: HealthState, _ section: SpeedTestSection) async -> [SpeedTestRecord] {
        let uplink = SpeedTestSurroundings(state).uplink
        guard speedTest else { return await storage.speedTests(over: uplink) }
        let display = ProgressDisplay(isShown: isatty(STDERR_FILENO) == 1)
        if !display.isShown { StandardError.write("Running a speed test; it takes up to a minute for each server\n") }
        let test = OneSpeedTest(section: section, directions: section.directions, display: display)
        guard let report = await test.run(section.servers) else { return [] }
        // The snapshot itself says nothing of a test that failed.
        if let failure = report.failure { StandardError.write("\(report.server.name): \(failure)\n") }
        let over = report.server.isThisHost ? Uplink.none : uplink
        return [SpeedTestRecord(report, uplink: over, isLatencyOnly: false)]
    }

    private func write(
        _ state: HealthState,
        _ speedTests: [SpeedTestRecord],
        _ satisfied: [RequirementEvaluator.Satisfied]
    ) throws(ExitCode) {
        switch json ? .json : format {
        case .text: try StandardOutput.write(SnapshotText.text(state, speedTests))
        case .json: try StandardOutput.write(String(decoding: SnapshotDocument(state).json, as: UTF8.self) + "\n")
        case .prometheus:
            var encoder = ExpositionEncoder()
            let families =
                ConnectivityMetrics.families(state) + PathMetrics.families(state)
                + InternetMetrics.verdict(state.internet)
                + QualityMetrics.quality(state.assessment) + QualityMetrics.requirements(satisfied)
                + SpeedTestMetrics.measured(speedTests)
            try StandardOutput.write(String(decoding: encoder.encode(families, as: .text), as: UTF8.self))
        }
    }
}
