import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import StrictYAML

/// Evaluates the network itself, as `snapshot` does, and judges by the configuration's requirements.
struct LocalCheck {
    let requirement: String
    let isJSON: Bool
    let wait: Duration
    let evaluation: Evaluation
    let storage: StorageOptions

    init(_ check: Check, wait: Duration) {
        (requirement, isJSON, self.wait) = (check.requirement, check.json, wait)
        (evaluation, storage) = (check.evaluation, check.storage)
    }

    func run() async throws -> Check.Outcome {
        let configuration = try evaluation.configuration()
        guard configuration.requirements.byName[requirement] != nil else {
            let names = configuration.requirements.names.joined(separator: ", ")
            StandardError.write("unknown requirement \(JSONText.quoted(requirement)); one of: \(names)\n")
            return .unknown
        }
        var outcome = Check.Outcome.failed
        try await evaluation.withMonitor { monitor in
            guard let state = await monitor.firstState(within: Evaluation.limit, isEnough: \.isComplete) else {
                throw EvaluationError(reason: monitor.pathMonitor.failure)
            }
            if let uplink = state.uplink, let record = await storage.lastSpeedTest(over: uplink.name) {
                monitor.learn { $0.maxAge = configuration.requirements.staleAfter }
                monitor.learn(record)
            }
            let board = RequirementBoard(monitor: monitor, configuration: configuration)
            let verdict = await RequirementBoard.firstVerdict(within: wait, at: monitor.changes()) { [requirement] in
                board.verdict(.named(requirement))
            }
            outcome = verdict.passed ? .passed : .failed
            let document = HealthDocument(verdict, latency: nil, nextMeasurement: nil, at: .now)
            print(isJSON ? String(decoding: document.json, as: UTF8.self) : verdict.text)
        }
        return outcome
    }
}
