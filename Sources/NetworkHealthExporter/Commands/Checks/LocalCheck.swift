import ArgumentParser
import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import StrictYAML

/// Evaluates the network as `snapshot` does, and checks a requirement of the configuration.
struct LocalCheck {
    let check: Check
    let subject: HealthQuestion.Subject
    let wait: Duration

    init(_ check: Check, _ subject: HealthQuestion.Subject, wait: Duration) {
        (self.check, self.subject, self.wait) = (check, subject, wait)
    }

    func run() async throws -> Check.Outcome {
        let configuration: Configuration
        do {
            configuration = try check.evaluation.configuration()
        } catch {
            throw ValidationError("\(error)")
        }
        guard let requirement = subject.requirement(in: configuration.requirements) else {
            let names = configuration.requirements.names.joined(separator: ", ")
            let unknown = JSONText.quoted(check.requirement)
            StandardError.write("unknown requirement \(unknown); one of: \(names), custom&quality=\n")
            return .unknown
        }
        var outcome = Check.Outcome.failed
        try await check.evaluation.withMonitor(configuration) { host, follower in
            let monitor = host.health
            _ = try await LocalEvaluation.state(of: host, configuration, needsCost: !requirement.allowsExpensive)
            monitor.learn(await check.storage.speedTests(configuration.speedTest), by: configuration)
            let requirements = RequirementEvaluator(
                monitor: monitor,
                configuration: configuration,
                isHostSilent: { follower?.isUp == false }
            )
            let verdict = await requirements.verdict(subject, within: wait)
            outcome = verdict.passed ? .passed : .failed
            let document = HealthDocument(verdict, latency: nil, nextMeasurement: nil, at: .now)
            check.say((check.json ? String(decoding: document.json, as: UTF8.self) : verdict.text) + "\n")
        }
        return outcome
    }
}

extension HealthQuestion.Subject {
    /// nil where the configuration has none of that name.
    fileprivate func requirement(in section: RequirementsSection) -> Requirement? {
        switch self {
        case .named(let name): section.byName[name]
        case .made(let requirement): requirement
        }
    }
}
