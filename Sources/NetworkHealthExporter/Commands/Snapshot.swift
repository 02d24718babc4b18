import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import PrometheusExposition

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

    @OptionGroup var evaluation: Evaluation

    private static let limit = Duration.seconds(5)
    /// The first round asks twice where no name resolves.
    private static let questionLimit = Duration.milliseconds(2300)

    func run() async throws {
        try await evaluation.withMonitor(limit: Self.questionLimit) { monitor in
            guard let state = await monitor.firstState(within: Self.limit, isEnough: \.isComplete) else {
                throw EvaluationError(reason: monitor.pathMonitor.failure)
            }
            write(state)
        }
    }

    private func write(_ state: HealthState) {
        switch json ? .json : format {
        case .text: print(SnapshotText.text(state), terminator: "")
        case .json: print(String(decoding: SnapshotDocument(state).json, as: UTF8.self))
        case .prometheus:
            var encoder = ExpositionEncoder()
            let families =
                ConnectivityMetrics.families(state) + PathMetrics.families(state)
                + InternetMetrics.verdict(state.internet)
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
