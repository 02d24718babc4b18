import ArgumentParser
import FoundationEssentials
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
        try await evaluation.withMonitor(configuration, limit: Self.questionLimit) { monitor in
            guard let state = await monitor.firstState(within: Evaluation.limit, isEnough: \.isComplete) else {
                throw EvaluationError(reason: monitor.pathMonitor.failure)
            }
            let record = try await measurement(of: state, section)
            if let record { monitor.learn(record) }
            let satisfied = RequirementBoard(monitor: monitor, configuration: configuration).satisfied
            try write(monitor.current ?? state, record, satisfied)
        }
    }

    /// A test made now, else the last one of the storage file; nil where none was made over this uplink.
    private func measurement(of state: HealthState, _ section: SpeedTestSection) async throws -> SpeedTestRecord? {
        let uplink = SpeedTestSurroundings(state).uplink
        if speedTest {
            let report = await OneSpeedTest(section: section, directions: section.directions).run(section.servers)
            return report.map {
                SpeedTestRecord($0, uplink: $0.server.isThisHost ? Uplink.none : uplink, isLatencyOnly: false)
            }
        }
        return await storage.lastSpeedTest(over: uplink)
    }

    private func write(
        _ state: HealthState,
        _ measurement: SpeedTestRecord?,
        _ satisfied: [RequirementBoard.Satisfied]
    ) throws(ExitCode) {
        switch json ? .json : format {
        case .text: try StandardOutput.write(SnapshotText.text(state, measurement))
        case .json: try StandardOutput.write(String(decoding: SnapshotDocument(state).json, as: UTF8.self) + "\n")
        case .prometheus:
            var encoder = ExpositionEncoder()
            let families =
                ConnectivityMetrics.families(state) + PathMetrics.families(state)
                + InternetMetrics.verdict(state.internet)
                + QualityMetrics.quality(state.assessment) + QualityMetrics.requirements(satisfied)
                + SpeedTestMetrics.measured(measurement)
            try StandardOutput.write(String(decoding: encoder.encode(families, as: .text), as: UTF8.self))
        }
    }
}
