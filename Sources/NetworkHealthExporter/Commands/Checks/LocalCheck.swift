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
            if let uplink = state.uplink {
                monitor.learn { $0.maxAge = configuration.requirements.staleAfter }
                for record in await storage.speedTests(over: uplink.name) { monitor.learn(record) }
            }
            let board = RequirementBoard(monitor: monitor, configuration: configuration)
            let verdict = await monitor.firstVerdict(board, requirement, within: wait)
            outcome = verdict?.passed == true ? .passed : .failed
            guard let verdict else { return }
            let document = HealthDocument(verdict, latency: nil, nextMeasurement: nil, at: .now)
            print(isJSON ? String(decoding: document.json, as: UTF8.self) : verdict.text)
        }
        return outcome
    }
}

extension HealthMonitor {
    /// The first that passes, else the last one when the time is over.
    fileprivate func firstVerdict(
        _ board: RequirementBoard,
        _ name: String,
        within limit: Duration
    ) async -> RequirementVerdict? {
        let now = board.verdict(named: name)
        guard now?.passed == false, limit > .zero else { return now }
        _ = await firstState(within: limit) { _ in board.verdict(named: name)?.passed == true }
        return board.verdict(named: name)
    }
}
