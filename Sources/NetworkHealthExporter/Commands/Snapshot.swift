import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import PrometheusExposition
import SpeedTestCore
import Storage

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

    private static let limit = Duration.seconds(5)
    /// The first round asks twice where no name resolves.
    private static let questionLimit = Duration.milliseconds(2300)

    func run() async throws {
        let section = try evaluation.configuration().speedTest
        guard !speedTest || !section.servers.isEmpty else {
            throw ValidationError("--speed-test: expected a configuration file with speedtest.servers")
        }
        try await evaluation.withMonitor(limit: Self.questionLimit) { monitor in
            guard let state = await monitor.firstState(within: Self.limit, isEnough: \.isComplete) else {
                throw EvaluationError(reason: monitor.pathMonitor.failure)
            }
            write(state, try await measurement(of: state, section))
        }
    }

    /// A test made now, else the last one of the storage file; nil where none was made over this uplink.
    private func measurement(of state: HealthState, _ section: SpeedTestSection) async throws -> SpeedTestRecord? {
        let uplink = SpeedTestSurroundings(state).uplink
        if speedTest {
            let report = await OneSpeedTest(section: section, directions: section.directions).run(section.servers)
            return report.map { SpeedTestRecord($0, uplink: uplink, isLatencyOnly: false) }
        }
        guard let file = storage.path ?? Environment.process.text(Options.Name.storagePath) else { return nil }
        do {
            let database = try Database.readOnly(file: file)
            defer { database.close() }
            return try await SpeedTestHistory(database: database).lastSuccess(over: uplink)
        } catch {
            // What is known of the network is printed all the same.
            StandardError.write("The last speed test is not known: \(error)\n")
            return nil
        }
    }

    private func write(_ state: HealthState, _ measurement: SpeedTestRecord?) {
        switch json ? .json : format {
        case .text: print(SnapshotText.text(state, measurement), terminator: "")
        case .json: print(String(decoding: SnapshotDocument(state, speedTest: measurement).json, as: UTF8.self))
        case .prometheus:
            var encoder = ExpositionEncoder()
            let families =
                ConnectivityMetrics.families(state) + PathMetrics.families(state)
                + InternetMetrics.verdict(state.internet)
                + SpeedTestMetrics.measured(measurement)
            print(String(decoding: encoder.encode(families, as: .text), as: UTF8.self), terminator: "")
        }
    }
}

/// The network could not be evaluated.
struct EvaluationError: Error, CustomStringConvertible {
    let reason: String?

    var description: String { reason ?? "the network could not be evaluated within 5 s" }
}

extension HealthState {
    /// Whether every family that the path carries has its verdict, where somebody asks for it.
    fileprivate var isComplete: Bool {
        isOnline != nil && internet.map { !$0.families.values.contains(.unknown) } ?? true
    }
}
